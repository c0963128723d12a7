import { objectOf, type Tool, type TypeOf } from '#plugin-api'
import { explainErrors } from '../files/file-failure.ts'
import { findPlace } from '../files/workspace-path.ts'
import { MAX_SEARCHED_BYTES } from '../search/file-search.ts'
import { MAX_LINE_CHARS } from '../search/line-search.ts'
import { searchInThread } from '../search/search-thread.ts'

const DEFAULT_MATCHES = 200
const MAX_MATCHES = 1000

const around = (where: string) =>
  ({
    type: 'integer',
    minimum: 0,
    maximum: 10,
    description: `The number of lines to show ${where} each match. Default: 0.`,
  }) as const

const input = objectOf(
  {
    pattern: {
      type: 'string',
      minLength: 1,
      maxLength: 4096,
      description: 'A regular expression of RE2 (no lookaround, no backreferences), matched line by line.',
    },
    path: {
      type: 'string',
      maxLength: 4096,
      description: 'A folder or a file, relative to the workspace. Default: the workspace.',
    },
    glob: {
      type: 'string',
      minLength: 1,
      maxLength: 4096,
      description:
        'Search only files whose path below that folder matches; without a slash, whose name matches. For example *.ts or src/**/*.{ts,js}.',
    },
    ignore_case: { type: 'boolean', description: 'True to ignore case. Default: false.' },
    literal: {
      type: 'boolean',
      description: 'True if the pattern is plain text, not a regular expression. Default: false.',
    },
    before: around('before'),
    after: around('after'),
    max_matches: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_MATCHES,
      description: `The most matching lines to show. Default: ${DEFAULT_MATCHES}.`,
    },
  },
  ['pattern'],
)

/** Searches the text of files. */
export const grep: Tool = {
  name: 'grep',
  label: { en: 'Search in files', zh: '搜索文件内容' },
  description: `Searches text files of the workspace for matching lines; returns them as path:line: text, sorted by path. Skips links, binary files, files of more than ${MAX_SEARCHED_BYTES} bytes, and hidden files unless path or glob names their dot. Only the first ${MAX_LINE_CHARS} characters of each line are searched.`,
  input_schema: input,
  disableable: false,
  execute(
    {
      pattern,
      path = '.',
      glob,
      ignore_case = false,
      literal = false,
      before: linesBefore = 0,
      after: linesAfter = 0,
      max_matches = DEFAULT_MATCHES,
    }: TypeOf<typeof input>,
    { workspace, signal },
  ) {
    return explainErrors(path, async () => {
      signal.throwIfAborted()
      const location = await findPlace(workspace, path)
      const options = { glob: glob ?? null, ignore_case, literal, linesBefore, linesAfter, max_matches }
      return searchInThread({ location, path, pattern, ...options }, signal)
    })
  },
}
