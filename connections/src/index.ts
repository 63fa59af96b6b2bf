export type { AnswerPlain } from './connection.ts';
export { Connections } from './connections.ts';
export type { OtherRequests } from './other-requests.ts';
export { type PlainRequest, readPlainRequest } from './plain-request.ts';
export type { AnswerHead, SocketAnswer } from './socket-answer.ts';
