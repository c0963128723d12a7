import { EventEmitter, once } from 'node:events'
import { PassThrough } from 'node:stream'
import { chatCommand } from '../../../plugins/reach/terminal/chat-command.ts'
import type { Test } from '../../run/file-test.ts'

export const CTRL_C = '\x03'
export const CTRL_D = '\x04'

/** Runs `svc chat` on streams of its own; `screen` holds what it wrote, `until` waits for a text in it. */
export function start(
  t: Test,
  {
    agent,
    tty = false,
    env = {},
    home = t.testdir(),
    ...options
  }: {
    agent?: string
    tty?: boolean
    env?: NodeJS.ProcessEnv
    home?: string
    [option: string]: unknown
  },
) {
  const stdin = Object.assign(new PassThrough(), { isTTY: tty, setRawMode: () => stdin })
  const changes = new EventEmitter()
  const written = { stdout: '', stderr: '' }
  const createOutput = (name: keyof typeof written) => {
    const stream = Object.assign(new PassThrough(), { isTTY: tty, columns: 100 })
    stream.on('data', (chunk) => {
      written[name] += chunk
      changes.emit('change')
    })
    return stream
  }
  const input = {
    args: [agent],
    options: options as Record<string, string | boolean | undefined>,
    home,
    env: { SVC_PASSWORD: 'open-sesame-1', ...env },
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: createOutput('stdout') as unknown as NodeJS.WriteStream,
    stderr: createOutput('stderr') as unknown as NodeJS.WriteStream,
  }
  const code = Promise.resolve(chatCommand.run(input, {} as never))
  let seen = 0
  const endOf = async (text: string) => {
    for (;;) {
      const at = written.stdout.indexOf(text, seen)
      if (at >= 0) return at + text.length
      await once(changes, 'change')
    }
  }
  /** Waits until the text was written to stdout, after what was waited for before. */
  const until = async (text: string) => {
    seen = await endOf(text)
  }
  return {
    code,
    home,
    stdin,
    stdout: input.stdout,
    written,
    until,
    /** Waits for an answer and the end of its turn: the next prompt, which is still there for `type` and `leave`. */
    async untilAnswered(text: string) {
      await until(text)
      await endOf('you › ')
    },
    /** Waits for a prompt and types a line there. */
    async type(prompt: string, line: string) {
      await until(`${prompt} › `)
      stdin.write(`${line}\r`)
    },
    /** Waits for the prompt of a message, leaves, and returns the exit code. */
    async leave() {
      await until('you › ')
      stdin.write(CTRL_D)
      return code
    },
  }
}
