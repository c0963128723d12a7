import t from 'tap'
import type { LedgerEvent } from '../../plugins/chat/ledger/ledger-event.ts'
import { createHold, startChat } from '../support/chat.ts'
import type { Script } from '../support/fake-openai.ts'

const chat = await startChat(t)
const { fake, createThread, server, agent_id } = chat
const call = (id: string, name: string, args: unknown) => ({ id, name, arguments: args })
const task = (id: string) => call(id, 'task', { description: 'A task', instruction: 'do it' })
const { hold } = createHold()

/** Conversations of one turn; a decision follows each pause. */
const turns: Record<string, { scripts: Script[]; decisions?: object[][]; stop?: boolean }> = {
  'an answer': { scripts: [{ reasoning: ['think'], text: 'Hello there.' }] },
  'tools in parallel': {
    scripts: [
      {
        text: 'I write.',
        toolCalls: [
          call('a', 'write_file', { path: 'a.txt', content: 'A' }),
          call('b', 'ls', {}),
          call('c', 'ls', { wrong: true }),
          call('d', 'nothing', {}),
        ],
      },
      { toolCalls: [call('a', 'read_file', { path: 'a.txt' })] },
      { text: 'Done.' },
    ],
  },
  'two subagents': {
    scripts: [
      { toolCalls: [task('t'), task('u')] },
      { toolCalls: [call('x', 'ls', {})] },
      { toolCalls: [call('x', 'ls', {})] },
      { text: 'inner' },
      { text: 'inner' },
      { text: 'outer' },
    ],
  },
  'a subagent whose model fails': {
    scripts: [{ toolCalls: [task('t')] }, { status: 400 }, { text: 'It failed.' }],
  },
  'approvals of a batch': {
    scripts: [
      {
        toolCalls: [
          call('a', 'execute', { command: 'echo', args: ['a'] }),
          call('b', 'execute', { command: 'echo', args: ['b'] }),
          call('c', 'execute', { command: 'echo', args: ['c'] }),
          call('d', 'ls', {}),
        ],
      },
      { toolCalls: [call('a', 'ask_user_question', { question: 'Which?' })] },
      { text: 'Good.' },
    ],
    decisions: [
      [
        { type: 'approve' },
        { type: 'reject', message: 'not this' },
        { type: 'edit', edited_action: { name: 'execute', args: { command: 'echo', args: ['edited'] } } },
      ],
      [{ type: 'respond', message: 'that one' }],
    ],
  },
  'an approval within a subagent': {
    scripts: [
      { toolCalls: [task('t')] },
      { toolCalls: [call('x', 'execute', { command: 'echo', args: ['x'] }), call('y', 'ls', {})] },
      { text: 'inner' },
      { text: 'outer' },
    ],
    decisions: [[{ type: 'approve' }]],
  },
  'a model that fails': { scripts: [{ text: ['Half ', 'of '], disconnectAfter: 2 }] },
  'a turn that is stopped': {
    scripts: [{ toolCalls: [call('a', 'ls', {})] }, { text: ['I '], hold }],
    stop: true,
  },
}

for (const [name, { scripts, decisions = [], stop }] of Object.entries(turns))
  t.test(`What is replayed comes to the same: ${name}`, async (t) => {
    const thread_id = await createThread()
    const socket = await chat.connect()
    fake.next(...scripts)
    const before = fake.requests.length
    const sent = socket.say({ thread_id, text: 'go' })
    if (stop) {
      await fake.request(before + scripts.length - 1)
      socket.send({ type: 'stop', thread_id })
    }
    for (const [index, made] of decisions.entries()) {
      let seen = 0
      await socket.until(
        ({ type, thread_id: of }) => type === 'hitl_required' && of === thread_id && seen++ === index,
      )
      const { status, body } = await server.request('POST', `/agents/${agent_id}/chat/hitl/resume`, {
        body: { thread_id, decisions: made },
      })
      t.equal(status, 200, JSON.stringify(body))
    }
    await socket.seeTurn(sent)
    const events = (await server.db
      .collection('events')
      .find({ _id: { $regex: `^${thread_id}` } as never })
      .sort({ _id: 1 })
      .toArray()) as unknown as LedgerEvent[]
    const { turnReplay } = server.server.runtime.cradleOf('chat')
    const { recorded, replayed } = await turnReplay.run(events)
    t.strictSame(replayed, recorded)
    t.ok(recorded.end)
    t.equal(recorded.pauses.length, decisions.length)
  })
