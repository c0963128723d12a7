import { setTimeout as pause } from 'node:timers/promises'
import type { TestChat } from '../../support/chat.ts'
import type { TestReply } from '../../support/server.ts'

type Options = { token?: string; agent?: string; name?: string }

/** A test's server with the calls of imports. */
export function createImportCalls({ server, history }: Pick<TestChat, 'server' | 'history'>) {
  const optionsOf = (token?: string) => (token === undefined ? {} : { token })

  const self = {
    /** Uploads an archive. */
    async start(
      content: string | Uint8Array<ArrayBuffer>,
      { token, agent, name = 'export.zip' }: Options = {},
    ): Promise<TestReply> {
      const form = new FormData()
      form.append('file', new Blob([content]), name)
      if (agent !== undefined) form.append('agent', agent)
      return server.request('POST', '/imports', { body: form, ...optionsOf(token) })
    },
    read: (id: string, query = '?limit=200', token?: string): Promise<TestReply> =>
      server.request('GET', `/imports/${id}${query}`, optionsOf(token)),
    /** Waits until an import has ended and returns its report. */
    async untilEnded(id: string, token?: string): Promise<TestReply['body']> {
      for (;;) {
        const { body } = await self.read(id, '?limit=200', token)
        if (!['queued', 'running'].includes(body.state)) return body
        await pause(20)
      }
    },
    /** Imports an archive and returns the report of it. */
    async run(content: string | Uint8Array<ArrayBuffer>, options: Options = {}): Promise<TestReply['body']> {
      const { status, body } = await self.start(content, options)
      if (status !== 202) throw new Error(`the import was refused: ${JSON.stringify(body)}`)
      return self.untilEnded(body.id, options.token)
    },
    runJson: (content: unknown, options: Options = {}): Promise<TestReply['body']> =>
      self.run(JSON.stringify(content), { name: 'conversations.json', ...options }),
    /** Reads the messages of a thread. */
    messagesOf: async (thread_id: string): Promise<TestReply['body'][]> =>
      (await history(thread_id, '?limit=200')).messages,
    /** Reads the roles and texts of a thread. */
    async textsOf(thread_id: string): Promise<[string, string][]> {
      const messages = await self.messagesOf(thread_id)
      return messages.map(({ role, content }) => [
        role,
        content.map(({ text = '' }: { text?: string }) => text).join(''),
      ])
    },
  }
  return self
}
