import { clearScreenDown, createInterface, cursorTo } from 'node:readline'
import { PassThrough, Writable } from 'node:stream'
import { createJoiner, type LineInput } from './line-input.ts'

const CTRL_C = 3
const CONTINUATION = '  … '
const HISTORY_SIZE = 200
/** Makes the terminal mark pasted text, so that its line breaks do not send it (DEC private mode 2004). */
const PASTE_MARKS_ON = '\x1b[?2004h'
const PASTE_MARKS_OFF = '\x1b[?2004l'

/**
 * Creates the prompt that reads messages from a terminal, with line editing and history. The terminal stays in raw mode
 * throughout: while no prompt is open, keys are kept for the next one and Ctrl-C is reported.
 */
export const createPrompt = ({
  stdin,
  output,
  label,
  hint,
  onInterrupt,
}: {
  stdin: NodeJS.ReadStream
  output: NodeJS.WriteStream
  label: string
  /** The remark after the first Ctrl-C at an empty prompt. */
  hint: string
  onInterrupt(): void
}) => {
  const keys = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => stdin.setRawMode(mode),
  })
  const reader = createInterface({ input: keys, output, terminal: true, historySize: HISTORY_SIZE })
  const joiner = createJoiner()
  const ready: string[] = []
  let ahead: Buffer[] = []
  let pending: { label: string; isQuestion: boolean; resolve(message: string | undefined): void } | undefined
  let secretKeys: PassThrough | undefined
  let pasting = false
  let leaving = false
  let closed = false
  let released = false

  const settle = (message: string | undefined) => {
    const { resolve } = pending!
    pending = undefined
    leaving = false
    resolve(message)
  }

  const showLabel = (text: string) => {
    reader.setPrompt(text)
    reader.prompt()
  }

  const dropInput = () => {
    joiner.take()
    reader.write(null, { ctrl: true, name: 'e' })
    reader.write(null, { ctrl: true, name: 'u' })
  }

  const clearInput = () => {
    dropInput()
    showLabel(pending!.label)
  }

  /** Withdraws a question, with the text typed so far. */
  const withdraw = () => {
    dropInput()
    cursorTo(output, 0)
    clearScreenDown(output)
    settle(undefined)
  }

  const leave = () => {
    output.write('\n')
    if (leaving) return settle(undefined)
    leaving = true
    output.write(`${hint}\n`)
    reader.prompt()
  }

  keys.on('keypress', (_text, key: { name?: string; ctrl?: boolean }) => {
    if (key.name === 'paste-start') pasting = true
    if (key.name === 'paste-end') pasting = false
    if (!key.ctrl) leaving = false
  })
  reader.on('history', (history) => {
    if (pending?.isQuestion) history.shift()
  })
  reader.on('line', (line) => {
    const message = joiner.add(line, pasting)
    if (message === undefined) showLabel(CONTINUATION)
    else if (pending) settle(message)
    else ready.push(message)
  })
  reader.on('SIGINT', () => {
    if (!pending) onInterrupt()
    else if (reader.line || joiner.isBegun) clearInput()
    else if (pending.isQuestion) onInterrupt()
    else leave()
  })
  // Ctrl-Z left the reader paused, and the shell has changed the modes of the terminal.
  reader.on('SIGCONT', () => {
    output.write(PASTE_MARKS_ON)
    reader.prompt(true)
  })
  reader.on('close', () => {
    closed = true
    if (!pending) return
    output.write('\n')
    settle(undefined)
  })

  /** Passes one line at a time to the reader, so that a later line is not echoed into an answer. */
  const drain = () => {
    while (pending && ahead.length > 0) keys.write(ahead.shift())
  }

  const feed = (chunk: Buffer) => {
    if (secretKeys) {
      secretKeys.write(chunk)
    } else if (!pending && chunk.includes(CTRL_C)) {
      ahead = []
      onInterrupt()
    } else {
      ahead.push(...splitLines(chunk))
      drain()
    }
  }
  const end = () => {
    secretKeys?.end()
    keys.end()
  }
  stdin.on('data', feed)
  stdin.on('end', end)
  output.write(PASTE_MARKS_ON)

  const ask = (text: string, isQuestion: boolean) => {
    if (closed) return Promise.resolve(undefined)
    // Text typed before the question was shown cannot be its answer.
    const later = isQuestion ? ahead.splice(0) : []
    return new Promise<string | undefined>((resolve) => {
      pending = {
        label: text,
        isQuestion,
        resolve(message) {
          ahead.unshift(...later)
          resolve(message)
        },
      }
      showLabel(text)
      drain()
    })
  }

  return {
    /** Returns the next message; undefined after Ctrl-D, or Ctrl-C twice. */
    read() {
      const message = ready.shift()
      if (message === undefined) return ask(label, false)
      output.write(`${label}${message}\n`)
      return Promise.resolve(message)
    },

    /**
     * Returns the answer to a question of the client; `offered` is a text to edit. Undefined after Ctrl-D, or once the
     * signal withdraws the question. Ctrl-C is reported.
     */
    async ask(question: string, { signal, offered }: { signal: AbortSignal; offered?: string }) {
      if (signal.aborted) return undefined
      const answer = ask(question, true)
      if (offered && pending) reader.write(offered)
      const onAbort = () => pending && withdraw()
      signal.addEventListener('abort', onAbort)
      return answer.finally(() => signal.removeEventListener('abort', onAbort))
    },

    /** Asks without echo; undefined after Ctrl-C or Ctrl-D. */
    askSecret(question: string) {
      const hidden = new PassThrough()
      const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
      const asker = createInterface({ input: hidden, output: nowhere, terminal: true, historySize: 0 })
      secretKeys = hidden
      output.write(question)
      return new Promise<string | undefined>((resolve) => {
        asker.on('SIGINT', () => {
          asker.close()
          onInterrupt()
        })
        asker.on('line', (secret) => {
          resolve(secret)
          asker.close()
        })
        asker.on('close', () => {
          secretKeys = undefined
          output.write('\n')
          resolve(undefined)
        })
      })
    },

    close() {
      if (released) return
      released = true
      if (pending) settle(undefined)
      secretKeys?.end()
      stdin.off('data', feed)
      stdin.off('end', end)
      stdin.pause()
      output.write(PASTE_MARKS_OFF)
      reader.close()
    },
  } satisfies LineInput & Record<string, unknown>
}

/** Splits into bytes rather than text, since a chunk may end within a character. */
const splitLines = (chunk: Buffer) =>
  (chunk.toString('latin1').match(/[^\r\n]*(?:\r\n?|\n)|[^\r\n]+/g) ?? []).map((line) =>
    Buffer.from(line, 'latin1'),
  )

/** Reads messages and answers from a terminal. */
export type Prompt = ReturnType<typeof createPrompt>
