import { spawn } from 'node:child_process'
import { EventEmitter, on, once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { PassThrough, Readable, Writable } from 'node:stream'
import {
  client,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { runProgram } from '../../../kernel/cli/program.ts'
import { startCounts } from '../../run/costs.ts'
import type { Test } from '../../run/file-test.ts'
import { CLI, createEnvironment } from '../../support/kernel.ts'
import { createHome } from '../../support/server.ts'
import { nodeCommand } from '../../support/service-process.ts'

const DEADLINE_MS = 40_000

/** Answers a permission request; `signal` aborts when the agent withdraws it. */
type Permit = (
  request: RequestPermissionRequest,
  signal: AbortSignal,
) => RequestPermissionOutcome | Promise<RequestPermissionOutcome>

/** Chooses the option of that id. */
export const choose = (optionId: string): RequestPermissionOutcome => ({ outcome: 'selected', optionId })

/** Runs `svc acp` in this process, or in one of its own, which costs much more. */
export function startEditorAgent(
  t: Test,
  { url, args = [], env = {}, home = createHome(t), hasOwnProcess = false }: EditorOptions,
) {
  const start = hasOwnProcess ? spawnProgram : startProgram
  const agent = start(t, ['acp', '--url', url, ...args], createEnvironment(home, env))
  const changes = new EventEmitter().setMaxListeners(0)
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    agent[name].on('data', (chunk) => {
      written[name] += chunk
      changes.emit('change')
    })
  // A test may write to one that has left.
  agent.stdin.on('error', () => undefined)

  return {
    ...agent,
    home,
    written,
    changes,
    /** Waits until it holds; looked at whenever something has come from the process. */
    async until<Value>(look: () => Value | undefined | false): Promise<Value> {
      const signal = AbortSignal.timeout(DEADLINE_MS)
      const steps = on(changes, 'change', { signal })
      for (let value = look(); ; value = look()) {
        if (value !== undefined && value !== false) return value
        await steps.next().catch(() => {
          throw new Error(
            `it did not come to pass: ${look}\n${written.stdout.slice(-4000)}\n${written.stderr}`,
          )
        })
      }
    },
    /** Returns the messages on standard output; throws if it contains anything else. */
    messages: () =>
      written.stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => {
          const message = JSON.parse(line)
          if (message.jsonrpc !== '2.0') throw new Error(`not JSON-RPC: ${line}`)
          return message
        }),
  }
}

interface EditorOptions {
  url: string
  args?: string[]
  env?: Record<string, string>
  home?: string
  hasOwnProcess?: boolean
}

/** A running `svc`. */
interface RunningProgram {
  stdin: Writable
  stdout: Readable
  stderr: Readable
  exited: Promise<[code: number | null, signal: string | null]>
  kill(signal: NodeJS.Signals): void
}

function spawnProgram(t: Test, args: string[], env: NodeJS.ProcessEnv): RunningProgram {
  const child = spawn(...nodeCommand([CLI, ...args]), { env })
  t.teardown(() => {
    child.kill('SIGKILL')
  })
  const { stdin, stdout, stderr } = child
  const exited = once(child, 'close') as RunningProgram['exited']
  return { stdin, stdout, stderr, exited, kill: (signal) => void child.kill(signal) }
}

function startProgram(t: Test, args: string[], env: NodeJS.ProcessEnv): RunningProgram {
  startCounts.commands++
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const exited = runProgram(args, {
    env,
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
  }).then((code): [number, null] => [code, null])
  t.teardown(async () => {
    stdin.end()
    await exited
  })
  const kill = () => {
    throw new Error('this agent has no process of its own')
  }
  return { stdin, stdout, stderr, exited, kill }
}

/** Runs `svc acp` and talks to it as an editor does. */
export async function startEditor(t: Test, options: EditorOptions) {
  const process = startEditorAgent(t, options)
  const { stdin, stdout, changes } = process
  const updates = new Map<string, SessionUpdate[]>()
  const asked: RequestPermissionRequest[] = []
  let permit: Permit = () => ({ outcome: 'cancelled' })

  const output = stdout.pipe(new PassThrough())
  const stream = ndJsonStream(
    Writable.toWeb(stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(output) as ReadableStream<Uint8Array>,
  )
  const connection = client({ name: 'test' })
    .onNotification('session/update', ({ params: { sessionId, update } }) => {
      updates.set(sessionId, [...(updates.get(sessionId) ?? []), update])
      changes.emit('change')
    })
    .onRequest('session/request_permission', async ({ params, signal }) => {
      asked.push(params)
      changes.emit('change')
      return { outcome: await permit(params, signal) }
    })
    .connect(stream)
  const { agent } = connection
  const greeting = await agent.request('initialize', {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: {},
  })

  const of = (sessionId: string) => updates.get(sessionId) ?? []
  return {
    ...process,
    agent,
    greeting,
    asked,
    /** The updates of a session. */
    of,
    /** Says how permission requests are answered from now on. */
    permit(next: Permit) {
      permit = next
    },
    /** Begins a session and returns its id. */
    async begin() {
      const { sessionId } = await agent.request('session/new', { cwd: '/', mcpServers: [] })
      return sessionId
    },
    /** Sends a text and returns the stop reason of the turn. */
    async ask(sessionId: string, text: string) {
      const { stopReason } = await agent.request('session/prompt', {
        sessionId,
        prompt: [{ type: 'text', text }],
      })
      return stopReason
    },
    /** The text of all chunks of a kind, put together. */
    textOf: (sessionId: string, kind = 'agent_message_chunk') =>
      of(sessionId)
        .map((update) => readText(update, kind))
        .join(''),
    /** Disconnects as an editor does, and returns the exit code. */
    async leave() {
      stdin.end()
      const [code] = await process.exited
      return code
    },
  }
}

const readText = (update: SessionUpdate, kind: string) =>
  update.sessionUpdate === kind && 'content' in update && update.content && 'text' in update.content
    ? update.content.text
    : ''

/** Puts a TCP relay before a server, whose connections a test can cut. */
export async function startRelay(t: Test, target: string) {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const relay = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      // That one goes away is what the relay is for.
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  t.teardown(() => {
    relay.close()
    cut()
  })
  return { url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`, cut }
}
