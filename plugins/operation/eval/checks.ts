import { isDeepStrictEqual } from 'node:util'
import { AppError, deferSchema, type Issue } from '#plugin-api'
import { compilePattern, type Expectation } from './cases.ts'

/** An answer with the names of the tools that were called for it, in their order. */
export interface CheckedAnswer {
  text: string
  tools: readonly string[]
}

/** Returns why an answer does not fulfil an expectation, apart from the judge's opinion; none if it does. */
export async function findFailures(
  { contains = [], regex, json_schema, tools = [], ...expect }: Expectation,
  answer: CheckedAnswer,
): Promise<string[]> {
  const failures: string[] = []
  for (const part of [contains].flat())
    if (!answer.text.includes(part)) failures.push(`does not contain "${part}"`)
  if (regex !== undefined && !(await compilePattern(regex)).matcher(answer.text).find())
    failures.push(`does not match /${regex}/`)
  if ('json' in expect || json_schema) {
    const value = readJson(answer.text)
    if (value === undefined) failures.push('is not JSON')
    else {
      if ('json' in expect) failures.push(...findDifferences(expect.json, value))
      if (json_schema) failures.push(...findIssues(json_schema, value))
    }
  }
  for (const name of tools) {
    const isUnwanted = name.startsWith('!')
    const tool = isUnwanted ? name.slice(1) : name
    if (answer.tools.includes(tool) === isUnwanted)
      failures.push(isUnwanted ? `the tool ${tool} was called` : `the tool ${tool} was not called`)
  }
  return failures
}

const FENCE = /^\s*```[a-z]*\s*\n([\s\S]*?)\n?\s*```\s*$/i

/** Reads a text that is one JSON value, also in a code block; undefined for any other text. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(FENCE.exec(text)?.[1] ?? text)
  } catch {
    return undefined
  }
}

/** Lists the differences of a value from an example: objects may have more fields, everything else must be equal. */
function findDifferences(example: unknown, value: unknown, path = ''): string[] {
  if (!isContainer(example) || !isContainer(value) || Array.isArray(example) !== Array.isArray(value))
    return isDeepStrictEqual(example, value)
      ? []
      : [`${path || 'the JSON'} is ${show(value)}, not ${show(example)}`]
  if (Array.isArray(example) && Array.isArray(value) && example.length !== value.length)
    return [`${path || 'the JSON'} has ${value.length} items, not ${example.length}`]
  const actual = new Map(Object.entries(value))
  return Object.entries(example).flatMap(([key, part]) =>
    actual.has(key)
      ? findDifferences(part, actual.get(key), `${path}/${key}`)
      : [`${path}/${key} is missing`],
  )
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}

function findIssues(schema: Record<string, unknown>, value: unknown): string[] {
  try {
    deferSchema(schema, 'reply')(structuredClone(value))
    return []
  } catch (error) {
    if (!(error instanceof AppError)) return [`the JSON Schema cannot be used: ${(error as Error).message}`]
    return (error.details.issues as Issue[]).map(({ path, message }) => `${path || 'the JSON'} ${message}`)
  }
}
