import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChatMessage, Script } from '../../../plugin-api/testing/fake-openai.ts'
import type { Test } from '../../run/file-test.ts'
import { startChat, type TestChat } from '../../support/chat.ts'
import type { TestFrame } from '../../support/socket.ts'

/** A plugin whose tools leave marks in a file of the workspace, ask questions, and wait until a test releases them. */
export const press = `
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
const held = globalThis.heldMarks ?? new Map()
const leave = (workspace, mark) => appendFileSync(join(workspace, 'marks'), mark + '\\n')
const tool = (name, more) => ({
  name, label: { en: 'Press ' + name, zh: '印 ' + name }, description: name, input_schema: { type: 'object' },
  disableable: true, ...more,
})
let started = 0
export default {
  kernel: 1,
  name: 'press',
  summary: 'Tools that leave marks',
  setup(host) {
    host.extend('agents.tools', tool('punch', {
      input_schema: {
        type: 'object',
        properties: { mark: { type: 'string', maxLength: 20 }, free: { type: 'boolean' } },
        required: ['mark'],
        additionalProperties: false,
      },
      needsApproval: ({ free }) => free !== true,
      async execute({ mark }, { workspace, signal }) {
        if (started === 0) throw new Error('the press is not there yet')
        leave(workspace, mark)
        await held.get(mark)
        if (mark === 'endless') await new Promise((resolve) => signal.addEventListener('abort', resolve))
        if (mark === 'broken') throw new Error('the press is broken')
        return 'punched ' + mark
      },
    }))
    host.extend('agents.tools', tool('loose', { needsApproval: () => true, execute: (input) => JSON.stringify(input) }))
    host.extend('agents.tools', tool('interview', {
      async execute(_, { ask }) {
        const name = await ask('Your name?')
        const place = await ask('Where, ' + name + '?')
        return name + ' in ' + place
      },
    }))
    host.extend('agents.tools', tool('weigh', {
      async needsApproval({ mark }) {
        await held.get(mark)
        return false
      },
      execute({ mark }, { workspace }) {
        leave(workspace, mark)
        return 'weighed'
      },
    }))
  },
  async start() {
    await new Promise((resolve) => setTimeout(resolve, 50))
    started += 1
  },
  stop() {
    started -= 1
  },
}
`

/** The promises that the plugin's tools wait for, by mark. */
export const held = new Map<string, Promise<void>>()
Object.assign(globalThis, { heldMarks: held })

/** The tools that an agent must be allowed to use. */
export const PRESS_TOOLS = ['punch', 'loose', 'interview', 'weigh'].map((name) => ({
  plugin_id: 'press',
  name,
  enabled: true,
}))

/** One call as the fake upstream makes it. */
export const call = (id: string, name: string, args: unknown) => ({ id, name, arguments: args })
/** Calls of the press: one that needs approval, and one that does not. */
export const punch = (id: string, mark: string) => call(id, 'punch', { mark })
export const punchFreely = (id: string, mark: string) => call(id, 'punch', { mark, free: true })
/** A task for a subagent. */
export const task = (id: string, instruction: string) =>
  call(id, 'task', { description: 'A task', instruction })
/** A question to the user. */
export const question = (id: string, asked: string) => call(id, 'ask_user_question', { question: asked })

/** Decisions. */
export const approve = { type: 'approve' }
export const reject = (message?: string) => ({ type: 'reject', message })
export const respond = (message: string) => ({ type: 'respond', message })
export const editTo = (args: object, name = 'punch') => ({ type: 'edit', edited_action: { name, args } })

/** A 422 that names the fault. */
export const invalid = (path: string) => ({
  status: 422,
  body: { error: { code: 'VALIDATION_FAILED', details: { issues: [{ path }] } } },
})

/** Frames of one type. */
export const ofType = (frames: readonly TestFrame[], type: string) =>
  frames.filter((frame) => frame.type === type)
/** Results as [id, output, is_error]. */
export const resultsIn = (frames: readonly TestFrame[]) =>
  ofType(frames, 'tool_result').map(({ tool_call_id, output, is_error }) => [tool_call_id, output, is_error])
/** The outputs of tools that a model received, in order. */
export const toldResults = (messages: readonly ChatMessage[]) =>
  messages.filter(({ role }) => role === 'tool').map(({ tool_call_id, content }) => [tool_call_id, content])

/** A chat whose agent has the press. */
export async function startPress(t: Test, options: Parameters<typeof startChat>[1] = {}) {
  const chat = await startChat(t, { ...options, plugins: { press } })
  await givePress(chat, chat.agent_id)
  const marks = (agent_id = chat.agent_id) => marksIn(chat.server.home, agent_id)
  /** Sends a message and waits until its turn is paused. */
  const pauseTurn = async (
    scripts: Script[],
    turn: { thread_id?: string; token?: string; agent_id?: string; [field: string]: unknown } = {},
  ) => {
    const { token, agent_id, ...fields } = turn
    const thread_id = fields.thread_id ?? (await chat.createThread({ token, agent_id }))
    const socket = await chat.connect({ token, agent_id })
    chat.fake.next(...scripts)
    const sent = socket.say({ text: 'go', ...fields, thread_id })
    return { socket, thread_id, sent, pending: await socket.seePause(sent) }
  }
  return { ...chat, marks, pauseTurn }
}

/** Switches the tools of the press on. */
export async function givePress({ server }: Pick<TestChat, 'server'>, agent_id: string, token?: string) {
  const body = { disabled_builtin: [], plugins: PRESS_TOOLS }
  await server.call('PUT', `/agents/${agent_id}/tool-settings`, body, token)
}

/** Reads the marks in an agent's workspace, in order. */
export function marksIn(home: string, agent_id: string): string[] {
  const path = join(home, 'agents', agent_id, 'marks')
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []
}
