import { inspect } from 'node:util'
import type { Base } from 'tap'

type Parser = Base['parser']

/** An assertion that a process reported, the part of it used here. */
interface Result {
  ok: boolean
  name: string
  fullname: string
  skip: boolean | string
  todo: boolean | string
  /** What tap tells of a failure. */
  diag: Record<string, unknown> | null
}

/** Writes what the processes of a run report: a line for each file when it ends, failures with all that is known. */
export function createReporter(
  write: (text: string) => void,
  /** True to show the tests of each file by their names. */
  { names }: { names: boolean },
) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const failed = new Set<string>()
  const leftOut = new Set<string>()

  const fail = (file: string, title: string, details = '') => {
    counts.failed++
    failed.add(file)
    write(`\n✗ ${title}\n${details.replace(/^(?=.)/gm, '    ')}\n`)
  }

  /** Hands on a line for each test of a file when it ends. */
  const nameTests = (parser: Parser, depth: number, say: (line: string) => void) => {
    parser.on('child', (child: Parser) => {
      child.on('complete', ({ ok, time }) => {
        say(`${'  '.repeat(depth)}${ok ? '✓' : '✗'} ${child.name}${time ? ` (${duration(time)})` : ''}\n`)
      })
      nameTests(child, depth + 1, say)
    })
  }

  return {
    counts,
    failed,
    /** Tests that were not run, each with the reason. */
    leftOut,
    fail,
    /** Follows a process that runs files one after another. */
    follow({ parser }: Base) {
      parser.on('result', (result: Result) => {
        const [, file = '', ...path] = result.fullname.split(' > ')
        if (result.skip || result.todo) {
          counts.skipped++
          leftOut.add(`${[file, ...path].join(' > ')} (${result.skip || result.todo})`)
        } else if (result.ok) counts.passed++
        else fail(file, [file, ...path].join(' > '), details(result.diag ?? {}))
      })
      parser.on('child', (file: Parser) => {
        const before = performance.now()
        let tests = 0
        // Together, as other processes report at the same time.
        let lines = ''
        file.on('child', () => tests++)
        if (names)
          nameTests(file, 1, (line) => {
            lines += line
          })
        file.on('complete', ({ ok }) => {
          if (ok && tests === 0) fail(file.name, `${file.name} ran no test`)
          const took = duration(performance.now() - before).padStart(8)
          write(
            `${ok && tests > 0 ? '✓' : '✗'} ${file.name.padEnd(40)}${`${tests} tests`.padStart(10)}${took}\n${lines}`,
          )
        })
      })
    },
  }
}

/** Text for a number of milliseconds. */
export const duration = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`

function details(diag: Record<string, unknown>): string {
  // Open sockets and the like, of which there are hundreds.
  const { diff, stack, source, found, wanted, at, handles, requests, signal, ...rest } = diag
  const { fileName, lineNumber } = (at ?? {}) as { fileName?: string; lineNumber?: number }
  const compared = diff === undefined && found !== undefined ? inspect({ found, wanted }, { depth: 5 }) : diff
  const more = Object.keys(rest).length > 0 ? inspect(rest, { depth: 5 }) : undefined
  return [fileName && `${fileName}:${lineNumber}`, source, compared, more, stack]
    .filter((part) => part !== undefined && part !== '')
    .map((part) => String(part).trimEnd())
    .join('\n')
}
