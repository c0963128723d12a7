import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Script } from '../../../plugin-api/testing/fake-openai.ts'
import type { Test } from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { call } from '../conversations/approval-calls.ts'

/** A plugin whose tool goes step by step, each agreed to by a person while it is at work, and keeps a diary. */
const guide = `
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
export default {
  kernel: 1,
  name: 'guide',
  summary: 'Expeditions',
  setup(host) {
    host.extend('agents.tools', {
      name: 'expedition', label: { en: 'Expedition', zh: '探险' }, description: 'Goes.', disableable: true,
      input_schema: {
        type: 'object',
        properties: {
          steps: { type: 'array', items: { type: 'string' } },
          at_once: { type: 'boolean' },
          gives_up_after_ms: { type: 'integer' },
          after: { enum: ['ask', 'delegate'] },
        },
        required: ['steps'],
        additionalProperties: false,
      },
      async execute({ steps, at_once, gives_up_after_ms, after }, context) {
        const note = (text) => appendFileSync(join(context.workspace, 'diary'), text + '\\n')
        note('begun')
        context.signal.addEventListener('abort', () => note('aborted: ' + context.signal.reason))
        const take = async (step) => {
          context.progress('before ' + step + '\\n')
          const asked = context.requestApproval({ description: 'May I ' + step + '?', args: { step } })
          setTimeout(() => context.progress('waiting to ' + step + '\\n'), 5)
          const decision = await asked
          const word = decision.approved ? 'yes' : 'no'
          note(step + ' ' + word)
          context.progress('after ' + step + '\\n')
          return step + ': ' + word + (decision.message ? ' (' + decision.message + ')' : '') + (decision.for_thread ? ' always' : '')
        }
        const all = async () => {
          if (at_once) return Promise.all(steps.map(take))
          const done = []
          for (const step of steps) done.push(await take(step))
          return done
        }
        const tired = new Promise((resolve) => {
          if (gives_up_after_ms) setTimeout(() => { note('tired'); resolve(['tired']) }, gives_up_after_ms)
        })
        const done = await Promise.race([all(), tired])
        if (after === 'ask') await context.ask('What now?')
        if (after === 'delegate') done.push(await context.delegate('rest'))
        context.attach({ path: 'diary', media_type: 'text/plain' })
        return done.join(', ')
      },
    })
  },
}
`

/** A call of an expedition as the fake upstream makes it. */
export const expedition = (id: string, steps: string[], more: object = {}) =>
  call(id, 'expedition', { steps, ...more })

/** A chat whose agent can go on expeditions. */
export async function startGuide(t: Test, options: Parameters<typeof startChat>[1] = {}) {
  const chat = await startChat(t, { ...options, plugins: { guide } })
  const body = {
    disabled_builtin: [],
    plugins: [{ plugin_id: 'guide', name: 'expedition', enabled: true }],
  }
  await chat.server.request('PUT', `/agents/${chat.agent_id}/tool-settings`, { body })
  const path = join(chat.server.home, 'agents', chat.agent_id, 'diary')
  let read = 0
  /** Returns the entries of the diary since it was last read. */
  const diary = () => {
    const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []
    const fresh = lines.slice(read)
    read = lines.length
    return fresh
  }
  /** Sends a message and waits until its turn is paused. */
  const pauseTurn = async (...scripts: Script[]) => {
    const thread_id = await chat.createThread()
    const socket = await chat.connect()
    chat.fake.next(...scripts)
    const sent = socket.say({ text: 'go', thread_id })
    return { socket, thread_id, sent, pending: await socket.seePause(sent) }
  }
  return { ...chat, diary, pauseTurn }
}
