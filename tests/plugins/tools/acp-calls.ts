import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Script } from '../../../plugin-api/testing/fake-openai.ts'
import type { Test } from '../../run/file-test.ts'
import { startChat, type TestChat } from '../../support/chat.ts'
import type { TestFrame } from '../../support/socket.ts'
import { approve, call, resultsIn } from '../conversations/approval-calls.ts'

/** The program that the runner is. */
export const PROGRAM = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../../support/acp-agent.js', import.meta.url))],
}

/** The runner that tests call. */
const RUNNER = 'scripted'

/** One call of it; each line is a step of its. */
export const run = (id: string, ...lines: string[]) =>
  call(id, 'acp_runner', { runner: RUNNER, prompt: lines.join('\n') })

/** The progress of a running call. */
export const progressIn = (frames: readonly TestFrame[], id: string): string =>
  frames
    .filter(({ type, tool_call_id }) => type === 'tool_progress' && tool_call_id === id)
    .map(({ content }) => content)
    .join('')

/** A chat with an agent that may call a scripted runner, without approval and outside a sandbox. */
export async function startAcp(
  t: Test,
  { config, ...options }: Parameters<typeof startChat>[1] & { config?: { plugins?: object } } = {},
) {
  const plugins = { shell: { sandbox: 'off' }, ...config?.plugins }
  const chat = await startChat(t, { ...options, config: { ...config, plugins } })
  const { server, agent_id } = chat
  await defineRunner(chat)
  await giveTool(chat, agent_id)
  /** A turn that waits for a person's word on the call of a runner. */
  const pauseTurn = async (script: Script) => {
    const thread_id = await chat.createThread()
    const socket = await chat.connect()
    chat.fake.next(script)
    const sent = socket.say({ thread_id, text: 'go' })
    let pauses = 0
    const see = () => socket.seePause(sent, pauses++)
    const pending = await see()
    return {
      socket,
      sent,
      thread_id,
      pending,
      /** Decides, and returns the next request of the turn. */
      async step(...decisions: object[]) {
        await chat.decide(thread_id, decisions)
        return see()
      },
      /** Decides, and returns the results of the turn, which then ends. */
      async finish(...decisions: object[]) {
        await chat.decide(thread_id, decisions)
        const { frames, end } = await socket.seeTurn(sent)
        t.match(end, { type: 'done', stop_reason: 'end' })
        return { frames, results: resultsIn(frames) }
      },
    }
  }
  return {
    ...chat,
    pauseTurn,
    /** A turn whose runner waits for a person's word on its first step. */
    async pauseStep(...lines: string[]) {
      const turn = await pauseTurn({ toolCalls: [run('call_a', ...lines)] })
      return { ...turn, asked: await turn.step(approve) }
    },
    workspace: join(server.home, 'agents', agent_id),
    /** A turn in which a runner is called once: what it gave, and what it told meanwhile. */
    async callOnce(lines: string[], who: { token?: string; agent_id?: string } = {}) {
      const socket = await chat.connect(who)
      chat.fake.next({ toolCalls: [run('call_a', ...lines)] })
      const { frames, end } = await socket.ask({ text: 'go' })
      t.match(end, { type: 'done', stop_reason: 'end' })
      socket.close()
      const [[, output, is_error] = []] = resultsIn(frames)
      return { output: String(output), is_error, told: progressIn(frames, 'call_a'), frames }
    },
    /** Sets the runner for an account, trusted unless told otherwise. */
    setRunner: (body: object = {}, token = server.admin.token) => setRunner(chat, body, token),
  }
}

/** Defines the runner, and sets it for the administrator. */
async function defineRunner(chat: TestChat): Promise<void> {
  await setRunner(chat, PROGRAM, chat.server.admin.token)
}

async function setRunner({ server }: TestChat, body: object, token: string): Promise<void> {
  await server.call('PUT', `/acp/${RUNNER}`, { enabled: true, trusted: true, ...body }, token)
}

/** Switches the tool on for an agent. */
export async function giveTool({ server }: TestChat, agent_id: string, token?: string): Promise<void> {
  await server.call('PUT', `/agents/${agent_id}/acp`, { tool_enabled: true }, token)
}

/** Waits until something is so; throws after 40 seconds. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let left = 4000; !isSo(); left -= 1) {
    if (left === 0) throw new Error(`in vain: ${isSo}`)
    await pause(10)
  }
}

/** The pid in a file that a runner writes, once it is there. */
export async function pidIn(path: string): Promise<number> {
  await until(() => existsSync(path) && readFileSync(path, 'utf8') !== '')
  return Number(readFileSync(path, 'utf8'))
}
