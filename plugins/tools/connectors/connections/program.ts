import { mkdir } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { type ConnectorTarget, createJsonMeter, JsonTooComplex } from '#plugin-api'
import type { Cradle } from '../manifest.ts'
import { toTooComplex, toTooLarge } from './bounded-fetch.ts'
import { ConnectorFailure } from './failure.ts'
import { createMessageReader } from './readable-messages.ts'

type Library = typeof import('@modelcontextprotocol/client')

const LINE_FEED = 10
/** The part of a program's standard error that is kept. */
const MAX_LOG_CHARS = 16_384
/** The time to wait for the end of its pipes once a program has ended, in milliseconds. */
const GRACE_MS = 100
/** The most lines in a row that are not messages: programs print greetings, and what they do. */
const MAX_STRAY_LINES = 100
/** The part of such a line that is kept in the log. */
const MAX_STRAY_CHARS = 1000
const STRAY_LINES = `The program wrote more than ${MAX_STRAY_LINES} lines in a row to its standard output that are not messages of the protocol.`

/** Starts a program in a home folder of its own, in the sandbox if there is one; throws a ConnectorFailure. */
export async function startProgram(
  { command, args, env }: Extract<ConnectorTarget, { transport: 'stdio' }>,
  {
    home,
    maxBytes,
    onLog,
    redact,
    library,
    processes,
  }: {
    home: string
    maxBytes: number
    /** Receives the end of the program's standard error. */
    onLog(log: string): void
    /** Masks the secrets of the program in its words. */
    redact(text: string): string
    library: Library
    processes: Cradle['processes']
  },
) {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const program = await processes.speakTo(
    { command, args, env, home },
    (words, options) => new ConnectorFailure('program', `The program ${words}.`, options),
  )
  const { stdin, stdout, stderr, closed, ended, findHiddenArgument } = program
  let failure: ConnectorFailure | undefined
  let log = ''
  /** The last line of the standard output that is not a message. */
  let lastStrayLine = ''
  const addToLog = (text: string) => {
    log = (log + text).slice(-MAX_LOG_CHARS)
    onLog(log)
  }
  let errors = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MAX_LOG_CHARS)
    addToLog(text)
  })

  const finished = (async () => {
    const failed = await ended.then(
      async (how) => {
        const hidden = how.code ? await findHiddenArgument() : undefined
        return () => toEnded(how, redact(errors.trim() ? errors : lastStrayLine), hidden)
      },
      (error: ConnectorFailure) => () => error,
    )
    await Promise.race([closed, pause(GRACE_MS)])
    failure ??= failed()
  })()

  const reader = createMessageReader()
  const transport: Transport = {
    async start() {
      let stray = 0
      const fail = (error: ConnectorFailure) => {
        failure = error
        transport.onerror?.(error)
        void end()
      }
      const takeLine = (line: string) => {
        try {
          const messages = [JSON.parse(line)].flat().map((message) => reader.read(message))
          for (const message of messages) transport.onmessage?.(library.parseJSONRPCMessage(message))
          stray = 0
        } catch (error) {
          stray += 1
          lastStrayLine = line.slice(0, MAX_STRAY_CHARS)
          addToLog(`${lastStrayLine}\n`)
          if (stray > MAX_STRAY_LINES) fail(new ConnectorFailure('protocol', STRAY_LINES, { cause: error }))
        }
      }
      const takeChunk = createLineReader(maxBytes, (line) => {
        if (!failure) takeLine(line)
      })
      stdout.on('data', (chunk: Buffer) => {
        if (failure) return
        try {
          takeChunk(chunk)
        } catch (error) {
          fail(error instanceof JsonTooComplex ? toTooComplex(error) : (error as ConnectorFailure))
        }
      })
      void finished.then(() => transport.onclose?.())
    },
    send: (message: JSONRPCMessage) =>
      new Promise((resolve, reject) => {
        reader.note(message)
        stdin.write(library.serializeMessage(message), async (error) => {
          if (!error) return resolve()
          // A program that ends closes its input a little earlier.
          await Promise.race([finished, pause(2 * GRACE_MS)])
          reject(failure ?? error)
        })
      }),
    close: () => end(),
  }

  let ending: Promise<void> | undefined
  const end = () => {
    ending ??= program.end(new AbortController().signal)
    return ending
  }
  return {
    transport,
    /** Returns why the program cannot be used any more, if it is known. */
    findFailure: (): ConnectorFailure | undefined => failure,
    /** Ends the program with all its children. */
    end,
  }
}

/**
 * Returns a function that takes the output of a program and passes its lines on, without the bytes that end them or
 * begin a file. It throws for a line with more than `maxBytes` bytes, and for JSON that is too complex.
 */
function createLineReader(maxBytes: number, onLine: (line: string) => void): (chunk: Buffer) => void {
  const meter = createJsonMeter()
  let parts: Buffer[] = []
  let size = 0
  return (chunk) => {
    for (let start = 0; start < chunk.length; ) {
      const lineEnd = chunk.indexOf(LINE_FEED, start)
      const part = chunk.subarray(start, lineEnd < 0 ? chunk.length : lineEnd)
      size += part.length
      if (size > maxBytes) throw toTooLarge(maxBytes)
      meter.add(part)
      parts.push(part)
      if (lineEnd < 0) return
      const line = Buffer.concat(parts)
        .toString('utf8')
        .replace(/^\uFEFF/, '')
        .trim()
      parts = []
      size = 0
      meter.reset()
      start = lineEnd + 1
      if (line) onLine(line)
    }
  }
}

type ProgramEnd = Awaited<Awaited<ReturnType<Cradle['processes']['start']>>['ended']>

/** Returns the failure of a program that has ended, with what the sandbox hides from it and its last words. */
function toEnded({ code, signal, excess }: ProgramEnd, log: string, hidden?: string): ConnectorFailure {
  const how = code === null ? `was ended by the signal ${signal}` : `ended with the exit code ${code}`
  const why = excess ? `, as ${excess}` : ''
  const words = findLastWords(log)
  return new ConnectorFailure(
    'program',
    `The program ${how}${why}${hidden ? `: ${hidden}` : ''}${words ? `. Its last words: ${words}` : '.'}`,
  )
}

/** The most characters of a program's last words in a message. */
const MAX_WORDS_CHARS = 300
/** The most characters of a line that are looked at; a longer one begins like this. */
const MAX_LINE_CHARS = 1000

/** The lines that programs and their interpreters write after the one that says what is wrong. */
const AFTERWORDS =
  /^\s|^Node\.js v\d|^note: run with `RUST_BACKTRACE|^npm (?:error|ERR!) (?:A complete log|.*[/\\]_logs[/\\])|^exit status \d|^goroutine \d|^[\w./*()-]+\(.*\)$|^\.\.\. \d+ more$|^For more information|^hint:|^See .* for (?:more )?help/i

/** The lines with which some interpreters begin what is wrong, before lines of another form. */
const BEGINS_WORDS = /^(?:panic: |fatal error: |thread '.*' (?:\(\d+\) )?panicked at |Exception in thread )/

/** Finds the line in which a program says why it ended; undefined if it has said nothing. */
export function findLastWords(log: string): string | undefined {
  const lines = log
    .split(/\r?\n/)
    .filter((line) => /[\p{L}\d]/u.test(line))
    .map((line) => line.slice(0, MAX_LINE_CHARS))
  const begin = lines.findLastIndex((line) => BEGINS_WORDS.test(line))
  const words = begin >= 0 ? wordsFrom(lines, begin) : lines.findLast((line) => !AFTERWORDS.test(line))
  return (words ?? lines.at(-1))
    ?.toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_WORDS_CHARS)
}

/** Since version 1.73, Rust writes the message of a panic in a line of its own. */
const wordsFrom = (lines: readonly string[], begin: number): string =>
  lines[begin]!.endsWith(':') ? [lines[begin], lines[begin + 1]].filter(Boolean).join(' ') : lines[begin]!
