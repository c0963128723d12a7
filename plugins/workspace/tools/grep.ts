import { objectOf, type TypeOf } from '#kernel'
import type { Tool } from '#plugin-api'
import { explaining } from '../files/file-failure.ts'
import { findPlace } from '../files/workspace-path.ts'
import { MAX_SEARCHED_BYTES } from '../search/file-search.ts'
import { searchInThread } from '../search/search-thread.ts'
import { MAX_LINE } from '../search/text-lines.ts'

const DEFAULT_MATCHES = 200
const MAX_MATCHES = 1000

const around = (where: string) =>
  ({
    type: 'integer',
    minimum: 0,
    maximum: 10,
    description: `How many lines ${where} each match to show. Default: 0.`,
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
        'Only files whose path from that folder on looks like this; without a slash, whose name does. For example *.ts or src/**/*.{ts,js}.',
    },
    ignore_case: { type: 'boolean', description: 'Whether upper and lower case are alike. Default: false.' },
    literal: {
      type: 'boolean',
      description: 'Whether the pattern is plain text, not a regular expression. Default: false.',
    },
    before: around('before'),
    after: around('after'),
    max_matches: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_MATCHES,
      description: `How many matching lines to show at most. Default: ${DEFAULT_MATCHES}.`,
    },
  },
  ['pattern'],
)

/** Searches the text of files. */
export const grep: Tool = {
  name: 'grep',
  label: { en: 'Search in files', zh: '搜索文件内容' },
  description: `Searches text files of the workspace for lines that match; gives them as path:line: text, sorted by path. Left out are links, what is not text, files of more than ${MAX_SEARCHED_BYTES} bytes, and hidden files unless path or glob names their dot. Of each line the first ${MAX_LINE} characters are searched.`,
  input_schema: input,
  disableable: false,
  execute(
    {
      pattern,
      path = '.',
      glob,
      ignore_case = false,
      literal = false,
      before = 0,
      after = 0,
      max_matches = DEFAULT_MATCHES,
    }: TypeOf<typeof input>,
    { workspace, signal },
  ) {
    return explaining(path, async () => {
      signal.throwIfAborted()
      const place = await findPlace(workspace, path)
      const options = { glob: glob ?? null, ignore_case, literal, before, after, max_matches }
      return searchInThread({ place, path, pattern, ...options }, signal)
    })
  },
}
