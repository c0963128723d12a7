import type { TestChat } from '../../support/chat.ts'
import type { TestReply } from '../../support/server.ts'

/** A message as history shows it. */
export interface Message {
  id: string
  role: string
  content: { type: string; text?: string }[]
}

/** A plugin with a tool that cites. */
export const LIBRARY = `
export default {
  kernel: 1,
  name: 'library',
  summary: 'A tool that cites',
  setup(host) {
    host.extend('agents.tools', {
      name: 'look_up',
      label: { en: 'Look up', zh: '查阅' },
      description: 'Cites a book.',
      input_schema: { type: 'object' },
      disableable: true,
      execute({ book, url }, { cite }) {
        cite({ id: book, title: 'The book ' + book, url })
        return 'so says ' + book
      },
    })
  },
}
`

/** Calls about forks of a chat's administrator. */
export function createForkCalls({ threads, history }: TestChat) {
  const fork = (thread_id: string, body: object, locale = 'en'): Promise<TestReply> =>
    threads('POST', `/${thread_id}/fork`, { body, headers: { 'accept-language': locale } })
  return {
    fork,
    /** Forks and returns the new thread's id. */
    async forkAt(thread_id: string, body: object): Promise<string> {
      const reply = await fork(thread_id, body)
      if (reply.status !== 201) throw new Error(`fork answered ${reply.status} ${JSON.stringify(reply.body)}`)
      return reply.body.thread_id
    },
    /** The messages of a thread of at most 200. */
    all: async (thread_id: string): Promise<Message[]> => (await history(thread_id, '?limit=200')).messages,
    /** The thread as it is listed. */
    async rowOf(thread_id: string): Promise<TestReply['body']> {
      const { body } = await threads('GET', '?limit=200')
      return body.find((row: { thread_id: string }) => row.thread_id === thread_id)
    },
  }
}
