import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { AppError, assertSchema, deferSchema, type Issue, objectOf, type TypeOf } from '#plugin-api'

const MAX_CASES = 5000
const MAX_FILE_BYTES = 64 * 1024 * 1024
const MAX_WORDS = 100_000

const words = { type: 'string', minLength: 1, maxLength: MAX_WORDS, pattern: '\\S' } as const
const name = { type: 'string', minLength: 1, maxLength: 200 } as const

const expectation = {
  ...objectOf({
    contains: { anyOf: [words, { type: 'array', items: words, minItems: 1, maxItems: 50 }] },
    regex: { type: 'string', minLength: 1, maxLength: 2000 },
    json: true,
    json_schema: { type: 'object' },
    judge: words,
    tools: { type: 'array', items: { ...name, pattern: '^!?[^!\\s]+$' }, minItems: 1, maxItems: 50 },
  } as const),
  minProperties: 1,
} as const

const caseSchema = objectOf(
  {
    name,
    input: words,
    files: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 1024 }, maxItems: 16 },
    expect: expectation,
  },
  ['input', 'expect'],
)

/** The conditions of an answer; all that are set must be fulfilled. */
export interface Expectation extends Omit<TypeOf<typeof expectation>, 'json'> {
  json?: unknown
}

/** One case. `line` is its number in the file, `files` are absolute paths. */
export interface EvalCase {
  line: number
  name: string
  input: string
  files: string[]
  expect: Expectation
  /** An answer that people have rated, which the judge reads besides the criterion. */
  rated?: { value: 1 | -1; answer: string }
}

/** Thrown if cases cannot be run; `problems` are lines of `FILE:LINE: what is wrong`. */
export class BadCasesError extends Error {
  problems: string[]
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.name = 'BadCasesError'
    this.problems = problems
  }
}

const check = deferSchema<TypeOf<typeof caseSchema>>(caseSchema, 'json')

/** Reads a file of cases, one JSON object per line. Throws a BadCasesError with all that is wrong. */
export async function readCases(file: string): Promise<EvalCase[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new BadCasesError([`${file}: ${error.code === 'ENOENT' ? 'does not exist' : error.message}`])
  })
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  const cases: EvalCase[] = []
  const problems: string[] = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const read = await readCase(line, index + 1, file).catch((error: unknown) => {
      if (!(error instanceof BadCasesError)) throw error
      problems.push(...error.problems.map((problem) => `${file}:${index + 1}: ${problem}`))
    })
    if (read) cases.push(read)
  }
  if (cases.length === 0 && problems.length === 0) problems.push(`${file}: has no cases`)
  if (cases.length > MAX_CASES) problems.push(`${file}: has more than ${MAX_CASES} cases`)
  if (problems.length > 0) throw new BadCasesError(problems)
  return cases
}

async function readCase(line: string, number: number, file: string): Promise<EvalCase> {
  const { name, input, files = [], expect } = checkForm(parse(line))
  const problems: string[] = []
  if (expect.regex !== undefined)
    await compilePattern(expect.regex).catch((error: Error) =>
      problems.push(`/expect/regex is not a pattern of RE2: ${error.message}`),
    )
  if (expect.json_schema !== undefined)
    try {
      assertSchema(expect.json_schema)
    } catch (error) {
      problems.push(`/expect/json_schema is not a JSON Schema: ${(error as Error).message}`)
    }
  const paths = files.map((path) => resolve(dirname(file), path))
  for (const [index, path] of paths.entries()) {
    const problem = await findFileProblem(path)
    if (problem) problems.push(`/files/${index} "${files[index]}" ${problem}`)
  }
  if (problems.length > 0) throw new BadCasesError(problems)
  return { line: number, name: name ?? shortName(input), input, files: paths, expect: expect as Expectation }
}

/** Returns the beginning of a message as the name of its case. */
export const shortName = (input: string): string => {
  const line = input.trim().replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}

/** Compiles a pattern of RE2, which takes linear time on any text. Throws a sentence. */
export async function compilePattern(pattern: string) {
  const { RE2JS } = await import('re2js')
  return RE2JS.compile(pattern)
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw new BadCasesError([`is not JSON: ${(error as Error).message}`])
  }
}

function checkForm(value: unknown): TypeOf<typeof caseSchema> {
  try {
    return check(value)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const issues = error.details.issues as Issue[]
    throw new BadCasesError(issues.map(({ path, message }) => `${path || 'the line'} ${message}`))
  }
}

async function findFileProblem(path: string): Promise<string | undefined> {
  try {
    const { size, isFile } = await stat(path).then((facts) => ({ size: facts.size, isFile: facts.isFile() }))
    if (!isFile) return 'is not a file'
    return size > MAX_FILE_BYTES ? `is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB` : undefined
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? `does not exist below ${basename(dirname(path))}` : message
  }
}
