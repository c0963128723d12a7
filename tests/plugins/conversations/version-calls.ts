import type { TestChat } from '../../support/chat.ts'
import type { TestReply } from '../../support/server.ts'

/** A message of a history: its id, its text and the ids of its versions. */
export interface ShownMessage {
  id: string
  role: string
  text: string
  versions?: string[]
}

/** Calls about the versions of messages of a chat's administrator. */
export function createVersionCalls(chat: TestChat) {
  const { fake, threads, history } = chat

  const show = async (thread_id: string, query = '?limit=200'): Promise<ShownMessage[]> =>
    (await history(thread_id, query)).messages.map(({ id, role, content, versions }: TestReply['body']) => ({
      id,
      role,
      text: content.map(({ text = '' }: { text?: string }) => text).join(''),
      ...(versions && { versions }),
    }))
  const textsOf = async (thread_id: string) => (await show(thread_id)).map(({ text }) => text)

  return {
    show,
    textsOf,
    /** Finds the shown message with this text. */
    async find(thread_id: string, text: string): Promise<ShownMessage> {
      const message = (await show(thread_id)).find((shown) => shown.text === text)
      if (!message) throw new Error(`${thread_id} does not show ${JSON.stringify(text)}`)
      return message
    },
    choose: (thread_id: string, message_id: string, options: { token?: string } = {}): Promise<TestReply> =>
      threads('PUT', `/${thread_id}/path`, { body: { message_id }, ...options }),
    startTurn: (thread_id: string, body: object, options: { token?: string } = {}): Promise<TestReply> =>
      threads('POST', `/${thread_id}/turns`, { body, ...options }),
    /** The texts that the model received with its last request, without the system prompt. */
    sentTexts: (): string[] =>
      fake.requests
        .at(-1)!
        .body.messages.slice(1)
        .map(({ content }: TestReply['body']) => content),
  }
}
