import { constants } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { explainErrors, ignoreCodes } from '../files/file-failure.ts'
import { inFolder, inParent, openFileIn, type Place, using } from '../files/workspace-path.ts'
import { fitOutput, formatCount, formatName, MAX_TEXT_BYTES } from '../output.ts'
import { createPace, describeGaps, type FoundFile, type Pace, type WalkGaps, walkFiles } from './file-walk.ts'
import { parseGlob } from './glob-pattern.ts'
import {
  compilePattern,
  findMatches,
  MAX_LINE_CHARS,
  type SearchPattern,
  type Surroundings,
} from './line-search.ts'

/** The largest file that is searched, in bytes. */
export const MAX_SEARCHED_BYTES = 16 * 1024 * 1024

/** A search, whose result is text for a model. */
export interface SearchRequest extends Surroundings {
  location: Place
  /** The place in the words of the caller. */
  path: string
  pattern: string
  glob: string | null
  literal: boolean
  ignore_case: boolean
  max_matches: number
  /** The time after which the search stops and returns what it has found. */
  time_ms: number
}

/** The progress of a search. */
interface Findings {
  lines: string[]
  bytes: number
  matches: number
  searched: number
  binary: number
  large: number
  closed: number
  long_lines: number
  stopped: 'matches' | 'output' | 'time' | undefined
}

/** Searches until it is stopped; throws a FileFailure with the reason. Blocks its thread. */
export function searchFiles(request: SearchRequest, isStopped: () => boolean): Promise<string> {
  return explainErrors(request.path, async () => {
    const pattern = await compilePattern(request.pattern, request)
    const glob = parseGlob(request.glob ?? '**', { anywhere: true })
    const pace = createPace(request.time_ms, { isStopped })
    const findings = createFindings()
    const search = (file: FoundFile) => searchFile(file, { pattern, request, findings, pace })
    const { location } = request
    if (await searchIfFile(location, search)) return report(findings, request)

    return inFolder(location, async (folder) => {
      const { files, gaps } = walkFiles(folder, { pattern: glob, pace })
      for await (const file of files) {
        const path = [...location.parts, file.path].join('/')
        // Skips a file that is not a file any more.
        await ignoreCodes(['ENOENT', 'ELOOP', 'ENXIO', 'EISDIR'], search({ ...file, path }))
        if (findings.stopped) break
      }
      return report(findings, request, gaps)
    })
  })
}

const createFindings = (): Findings => ({
  lines: [],
  bytes: 0,
  matches: 0,
  searched: 0,
  binary: 0,
  large: 0,
  closed: 0,
  long_lines: 0,
  stopped: undefined,
})

/** Searches the file at a place; returns false if the place is a folder. */
async function searchIfFile(location: Place, search: (file: FoundFile) => Promise<void>): Promise<boolean> {
  if (location.parts.length === 0) return false
  return inParent(location, async (folder, name) => {
    if ((await lstat(folder.entry(name))).isDirectory()) return false
    await search({ path: location.parts.join('/'), folder, name })
    return true
  })
}

async function searchFile(
  { path, folder, name }: FoundFile,
  {
    pattern,
    request,
    findings,
    pace,
  }: { pattern: SearchPattern; request: SearchRequest; findings: Findings; pace: Pace },
): Promise<void> {
  const { linesBefore, linesAfter, max_matches } = request
  const text = await readText(folder, name, findings)
  if (text === undefined) return
  findings.searched++
  const shown = formatName(path)
  let lines = 0
  const onLine = ({ text, is_long }: { text: string; is_long: boolean }) => {
    if (is_long) findings.long_lines++
    if ((++lines % 64 === 0 || text.length > 1000) && pace.isOver()) findings.stopped = 'time'
    return findings.stopped === undefined
  }
  let matches = 0
  for (const line of findMatches(text, { pattern, linesBefore, linesAfter, onLine })) {
    if (line.is_match && findings.matches >= max_matches) {
      findings.stopped = 'matches'
      return
    }
    const isFirst = matches === 0 && findings.lines.length > 0
    if (linesBefore + linesAfter > 0 && (line.has_gap || isFirst)) add(findings, '--')
    const [mark, gap] = line.is_match ? [':', ': '] : ['-', '- ']
    add(findings, `${shown}${mark}${line.number}${gap}${line.text}`)
    matches++
    if (line.is_match) findings.matches++
    if (findings.bytes > MAX_TEXT_BYTES) {
      findings.stopped = 'output'
      return
    }
  }
}

function add(findings: Findings, line: string): void {
  findings.lines.push(line)
  findings.bytes += Buffer.byteLength(line) + 1
}

/** Reads the text of a file; counts a file that cannot be searched and returns undefined. */
async function readText(
  folder: FoundFile['folder'],
  name: string,
  findings: Findings,
): Promise<string | undefined> {
  const opened = await openFileIn(folder, name, constants.O_RDONLY).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error
    findings.closed++
    return undefined
  })
  if (!opened) return undefined
  const { file, stats } = opened
  return using(file, async () => {
    const size = Number(stats.size)
    if (size > MAX_SEARCHED_BYTES) {
      findings.large++
      return undefined
    }
    const bytes = Buffer.allocUnsafe(size)
    const { bytesRead } = await file.read(bytes, 0, size, 0)
    const content = bytes.subarray(0, bytesRead)
    if (!content.includes(0)) return content.toString()
    findings.binary++
    return undefined
  })
}

function report(findings: Findings, request: SearchRequest, gaps?: WalkGaps): string {
  const { lines, matches, searched, binary, large, closed, long_lines, stopped } = findings
  const notes = [
    stopped === 'matches' && `[cut after ${formatCount(request.max_matches, 'matching line')}]`,
    stopped === 'output' && `[cut after ${formatCount(matches, 'matching line')}: the output is full]`,
    stopped === 'time' && '[cut: it took too long; search fewer files, or for something simpler]',
    long_lines > 0 &&
      `[searched only in the first ${MAX_LINE_CHARS} characters: ${formatCount(long_lines, 'line')}]`,
    binary > 0 && `[left out: ${formatCount(binary, 'file')} with bytes that are not text]`,
    large > 0 && `[left out: ${formatCount(large, 'file')} of more than ${MAX_SEARCHED_BYTES} bytes]`,
    closed > 0 && `[left out: ${formatCount(closed, 'file')} that may not be opened]`,
    ...(gaps ? describeGaps(stopped === 'time' ? { ...gaps, stopped: undefined } : gaps) : []),
  ].filter((note) => note !== false)
  return fitOutput(lines.join('\n') || `(no line matches; searched: ${formatCount(searched, 'file')})`, notes)
}
