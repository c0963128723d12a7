import { setTimeout as pause } from 'node:timers/promises'
import type { MessageDocument, ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import { eventId, type LedgerEvent, seqOf } from '../../../plugins/conversations/chat/ledger/ledger-event.ts'
import { isLong } from '../../run/tier.ts'
import { createHold, type TestChat } from '../../support/chat.ts'
import type { TestReply } from '../../support/server.ts'

/** A test's server with the calls for migrations. */
export function createMigrationCalls(chat: TestChat) {
  const { server, agent_id, fake } = chat
  const threads = () => server.db.collection<ThreadDocument>('threads')
  const messages = () => server.db.collection<MessageDocument>('messages')
  const events = () => server.db.collection<LedgerEvent>('events')
  let copied = 0
  const path = (agent = agent_id) => `/agents/${agent}/history-migration`
  const status = async (): Promise<TestReply['body']> =>
    (await server.request('GET', `${path()}/status`)).body

  return {
    threads,
    messages,
    events,
    status,
    path,
    start: () => server.request('POST', `${path()}/start`),
    /** Looks for work that a server has left, as a job does each 20 seconds, for which the long tier waits. */
    look() {
      if (!isLong) server.server.runtime.cradleOf('migration').historyMigration.look()
    },
    /** Waits until a status is accepted; returns all statuses that were seen. */
    async statusUntil(
      isWanted: (status: TestReply['body']) => boolean,
      beforeEach = () => {},
    ): Promise<TestReply['body'][]> {
      const seen: TestReply['body'][] = [await status()]
      while (!isWanted(seen.at(-1))) {
        // Often at first, when states follow each other, and seldom while a job is waited for.
        await pause(Math.min(10 + seen.length, 250))
        beforeEach()
        seen.push(await status())
      }
      return seen
    },
    /** Waits until no thread needs a rebuild, and a start would begin at once. */
    async untilDone(): Promise<void> {
      for (let now = await status(); now.remaining > 0 || now.processing; now = await status())
        await pause(40)
    },
    row: async (thread_id: string): Promise<TestReply['body']> =>
      (await chat.threads('GET', '?limit=200')).body.find(
        (row: { thread_id: string }) => row.thread_id === thread_id,
      ),

    /** Uploads a file to be imported, as the owner of the token. */
    async importFile(content: string | Uint8Array, options: { token?: string } = {}): Promise<TestReply> {
      const form = new FormData()
      form.append('file', new Blob([content as string]), 'trajectory.jsonl')
      return server.request('POST', `/agents/${agent_id}/threads/import`, { body: form, ...options })
    },

    /** Makes threads look as if they had been written before there were versions of the projection. */
    async age(thread_ids: string[]) {
      await threads().updateMany({ _id: { $in: thread_ids } }, { $unset: { projection_version: 1 } })
    },

    /** Creates a thread with everything that can happen in turns; returns the number of its messages as well. */
    async carryOn(): Promise<string> {
      const thread_id = await chat.createThread()
      const socket = await chat.connect()
      const write = (id: string, file: string) => ({
        id,
        name: 'write_file',
        arguments: { path: file, content: `written by ${id}` },
      })
      await server.request('PATCH', `/agents/${agent_id}`, {
        body: { config: { tools_with_approval: ['write_file'] } },
      })
      fake.next(
        { reasoning: ['hm, ', 'well'], text: ['One ', 'moment.'], toolCalls: [write('call_a', 'a.txt')] },
        { text: 'It is written.' },
      )
      const sent = socket.say({ thread_id, text: 'Write a file, please, and name it as I would' })
      await socket.until(({ type }) => type === 'hitl_required')
      const args = { path: 'b.txt', content: 'as a person wants it' }
      await server.request('POST', `/agents/${agent_id}/chat/hitl/resume`, {
        body: {
          thread_id,
          decisions: [{ type: 'edit', edited_action: { name: 'write_file', args } }],
        },
      })
      await socket.seeTurn(sent)
      await server.request('PATCH', `/agents/${agent_id}`, { body: { config: {} } })

      fake.next({ toolCalls: [write('call_a', 'c.txt'), write('call_b', 'b.txt')] }, { text: '😀 twice' })
      await socket.ask({ thread_id, content: [{ type: 'text', text: 'two files' }] })

      fake.next({ status: 401, error: { message: 'no' } })
      await socket.ask({ thread_id, text: 'this fails' })

      const { hold, release } = createHold()
      fake.next({ text: ['cut ', 'short'], hold, holdAfter: 1 })
      const cut = socket.say({ thread_id, text: 'this is stopped' })
      await socket.until(({ content }) => content === 'cut ')
      socket.send({ type: 'stop', thread_id })
      await socket.seeTurn(cut)
      release()
      socket.close()
      return thread_id
    },

    /** Copies a thread with its ledger and its messages, as old as the original; returns the ids of the copies. */
    async copy(thread_id: string, copies: number): Promise<string[]> {
      const thread = (await threads().findOne({ _id: thread_id }))!
      const written = await events()
        .find({ _id: new RegExp(`^${thread_id}:`) })
        .toArray()
      const said = await messages().find({ thread_id }).toArray()
      const made: string[] = []
      for (let left = copies; left > 0; left -= 1) {
        copied += 1
        const named = (id: string) => `${id}_${copied}`
        const _id = named(thread_id)
        made.push(_id)
        await threads().insertOne({ ...thread, _id, session_key: named(thread.session_key) })
        const text = (event: LedgerEvent) =>
          JSON.parse(JSON.stringify(event).replaceAll(/(trn|msg)_[\w-]+/g, (id) => named(id)))
        await events().insertMany(
          written.map((event) => ({ ...text(event), _id: eventId(_id, seqOf(event)) })),
        )
        await messages().insertMany(
          said.map((message) => ({
            ...message,
            _id: named(message._id),
            turn_id: named(message.turn_id),
            thread_id: _id,
          })),
        )
      }
      return made
    },
  }
}
