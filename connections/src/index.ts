export { type AnswerPlain, Connection } from './connection.ts';
export type { OtherRequests } from './other-requests.ts';
export { type PlainRequest, readPlainRequest } from './plain-request.ts';
export type { AnswerHead, SocketAnswer } from './socket-answer.ts';
