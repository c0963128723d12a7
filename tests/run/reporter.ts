import { inspect } from 'node:util'
import type { Base } from '@tapjs/core'
import { LONG_TIER } from './tier.ts'

type Parser = Base['parser']

/** The subset of a reported assertion used here. */
interface Result {
  ok: boolean
  name: string
  fullname: string
  skip: boolean | string
  todo: boolean | string
  /** Tap's description of a failure. */
  diag: Record<string, unknown> | null
}

/** Prints the reports of the processes of a run: a line for each file when it ends, and failures with all details. */
export function createReporter(
  write: (text: string) => void,
  /** True to also list the tests of each file. */
  { names }: { names: boolean },
) {
  const counts = { passed: 0, failed: 0, skipped: 0, ofLongTier: 0 }
  const failures: string[] = []
  const failed = new Set<string>()
  const skippedTests = new Set<string>()

  const fail = (file: string, title: string, details = '') => {
    counts.failed++
    failed.add(file)
    const failure = `\n✗ ${title}\n${details.replace(/^(?=.)/gm, '    ')}\n`
    failures.push(failure)
    write(failure)
  }

  /** Writes a line for each test of a file when the test ends. */
  const listTests = (parser: Parser, depth: number, writeLine: (line: string) => void) => {
    parser.on('child', (child: Parser) => {
      child.on('complete', ({ ok, time }) => {
        writeLine(
          `${'  '.repeat(depth)}${ok ? '✓' : '✗'} ${child.name}${time ? ` (${formatDuration(time)})` : ''}\n`,
        )
      })
      listTests(child, depth + 1, writeLine)
    })
  }

  return {
    counts,
    /** The text of each failure, repeated at the end of a run because output is often cut at its beginning. */
    failures,
    failed,
    /** Titles of the tests that were not run, each with the reason if one was given. */
    skippedTests,
    fail,
    /** Reports the results of a process that runs files one after another. */
    follow({ parser }: Base) {
      parser.on('result', (result: Result) => {
        const [, file = '', ...path] = result.fullname.split(' > ')
        if (result.skip === LONG_TIER) counts.ofLongTier++
        else if (result.skip || result.todo) {
          counts.skipped++
          const reason = result.skip || result.todo
          skippedTests.add(`${[file, ...path].join(' > ')}${reason === true ? '' : ` (${reason})`}`)
        } else if (result.ok) counts.passed++
        else fail(file, [file, ...path].join(' > '), formatDetails(result.diag ?? {}))
      })
      parser.on('child', (file: Parser) => {
        const startedAt = performance.now()
        let tests = 0
        // Collected and written together, because other processes report at the same time.
        let lines = ''
        let skipped = 0
        file.on('child', () => tests++)
        file.on('assert', ({ skip }) => {
          if (skip) skipped++
        })
        if (names)
          listTests(file, 1, (line) => {
            lines += line
          })
        file.on('complete', ({ ok }) => {
          const isRun = tests > 0 || skipped > 0
          if (ok && !isRun) fail(file.name, `${file.name} ran no test`)
          const took = formatDuration(performance.now() - startedAt).padStart(8)
          write(
            `${ok && isRun ? '✓' : '✗'} ${file.name.padEnd(40)}${`${tests} tests`.padStart(10)}${took}\n${lines}`,
          )
        })
      })
    },
  }
}

/** Formats a number of milliseconds. */
export const formatDuration = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`

function formatDetails(diag: Record<string, unknown>): string {
  // `handles` and `requests` list hundreds of open sockets and timers.
  const { diff, stack, source, found: actual, wanted, at, handles, requests, signal, ...others } = diag
  const { fileName, lineNumber } = (at ?? {}) as { fileName?: string; lineNumber?: number }
  const compared =
    diff === undefined && actual !== undefined ? inspect({ found: actual, wanted }, { depth: 5 }) : diff
  const more = Object.keys(others).length > 0 ? inspect(others, { depth: 5 }) : undefined
  return [fileName && `${fileName}:${lineNumber}`, source, compared, more, stack]
    .filter((part) => part !== undefined && part !== '')
    .map((part) => String(part).trimEnd())
    .join('\n')
}
