/** What a message says, without what it is and to whom it belongs. */
export function messageContent<Message extends { type: string }>(
  message: Message,
): Omit<Message, 'type' | 'stepId' | 'id'> {
  const { type: _type, stepId: _stepId, id: _id, ...content } = message as Message & { stepId?: string; id?: number };
  return content;
}
