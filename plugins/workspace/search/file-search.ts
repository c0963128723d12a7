import { constants } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { explaining, ignoring } from '../files/file-failure.ts'
import { openFileIn, openFolder, type Place, splitPlace } from '../files/workspace-path.ts'
import { capped, counted, listed, MAX_TEXT_BYTES } from '../output.ts'
import { describeGaps, type FoundFile, type WalkGaps, walkFiles } from './file-walk.ts'
import { parseGlob } from './glob-pattern.ts'
import { matchesIn, type Surroundings } from './line-matches.ts'
import { createPace, type Pace } from './pace.ts'
import { compilePattern, type SearchPattern } from './search-pattern.ts'
import { MAX_LINE } from './text-lines.ts'

/** The largest file that is searched, in bytes. */
export const MAX_SEARCHED_BYTES = 16 * 1024 * 1024

/** What is searched for, and where; the result is text for a model. */
export interface SearchRequest extends Surroundings {
  place: Place
  /** How the caller spells it. */
  path: string
  pattern: string
  glob: string | null
  literal: boolean
  ignore_case: boolean
  max_matches: number
  /** When to stop and give what was found, in milliseconds from now. */
  time_ms: number
}

/** What a search has come to. */
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

/** Carries out a search unless it is stopped before; throws a FileFailure that explains. Does not share its thread. */
export function searchFiles(request: SearchRequest, isStopped: () => boolean): Promise<string> {
  return explaining(request.path, async () => {
    const pattern = compilePattern(request.pattern, request)
    const glob = parseGlob(request.glob ?? '**', { anywhere: true })
    const pace = createPace(request.time_ms, { isStopped })
    const findings = createFindings()
    const search = (file: FoundFile) => searchFile(file, { pattern, request, findings, pace })
    const { place } = request
    if (await isFileSearched(place, search)) return report(findings, request)

    const folder = await openFolder(place)
    try {
      const { files, gaps } = walkFiles(folder, { pattern: glob, pace })
      for await (const file of files) {
        const path = [...place.parts, file.path].join('/')
        // A file that was swapped for something else meanwhile is passed over.
        await ignoring(['ENOENT', 'ELOOP', 'ENXIO', 'EISDIR'], search({ ...file, path }))
        if (findings.stopped) break
      }
      return report(findings, request, gaps)
    } finally {
      await folder.close()
    }
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

/** Searches what a place names unless it is a folder, and tells whether it did. */
async function isFileSearched(place: Place, search: (file: FoundFile) => Promise<void>): Promise<boolean> {
  if (place.parts.length === 0) return false
  const { parent, name } = splitPlace(place)
  const folder = await openFolder(parent)
  try {
    if ((await lstat(folder.entry(name))).isDirectory()) return false
    await search({ path: place.parts.join('/'), folder, name })
    return true
  } finally {
    await folder.close()
  }
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
  const { before, after, max_matches } = request
  const text = await readText(folder, name, findings)
  if (text === undefined) return
  findings.searched++
  const shown = listed(path)
  let lines = 0
  const onLine = ({ text, is_long }: { text: string; is_long: boolean }) => {
    if (is_long) findings.long_lines++
    if ((++lines % 64 === 0 || text.length > 1000) && pace.isOver()) findings.stopped = 'time'
    return findings.stopped === undefined
  }
  let matches = 0
  for (const line of matchesIn(text, { pattern, before, after, onLine })) {
    if (line.is_match && findings.matches >= max_matches) {
      findings.stopped = 'matches'
      return
    }
    const isFirst = matches === 0 && findings.lines.length > 0
    if (before + after > 0 && (line.has_gap || isFirst)) add(findings, '--')
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

/** The text of a file; undefined, and counted, where it is not searched. */
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
  try {
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
  } finally {
    await file.close()
  }
}

function report(findings: Findings, request: SearchRequest, gaps?: WalkGaps): string {
  const { lines, matches, searched, binary, large, closed, long_lines, stopped } = findings
  const notes = [
    stopped === 'matches' && `[cut after ${counted(request.max_matches, 'matching line')}]`,
    stopped === 'output' && `[cut after ${counted(matches, 'matching line')}: the output is full]`,
    stopped === 'time' && '[cut: it took too long; search fewer files, or for something simpler]',
    long_lines > 0 && `[searched only in the first ${MAX_LINE} characters: ${counted(long_lines, 'line')}]`,
    binary > 0 && `[left out: ${counted(binary, 'file')} with bytes that are not text]`,
    large > 0 && `[left out: ${counted(large, 'file')} of more than ${MAX_SEARCHED_BYTES} bytes]`,
    closed > 0 && `[left out: ${counted(closed, 'file')} that may not be opened]`,
    ...(gaps ? describeGaps(stopped === 'time' ? { ...gaps, stopped: undefined } : gaps) : []),
  ].filter((note) => note !== false)
  return capped(lines.join('\n') || `(no line matches; searched: ${counted(searched, 'file')})`, notes)
}
