import type { CallToolResult } from '@modelcontextprotocol/client'
import { ConnectorFailure } from './failure.ts'

const isText = (value: unknown) => typeof value === 'string'
const isOptionalText = (value: unknown) => value === undefined || value === null || isText(value)

/** The fields of each type of block that are read. Blocks of other types are left out. */
const FIELDS: Record<string, Record<string, (value: unknown) => boolean>> = {
  text: { text: isText },
  image: { data: isText, mimeType: isText },
  audio: { data: isText, mimeType: isText },
  resource_link: { uri: isText, name: isText, title: isOptionalText },
  resource: { resource: isResource },
}

/**
 * Checks the result of a tool; throws a ConnectorFailure at the first fault. The library's own check fills the memory
 * with what it says about a result with very many faults.
 */
export function checkToolResult(result: unknown): CallToolResult {
  const { content = [], isError = false } = Object(result) as Record<string, unknown>
  const isFormed =
    isObject(result) && Array.isArray(content) && content.every(isBlock) && typeof isError === 'boolean'
  if (isFormed) return { ...result, content, isError } as CallToolResult
  throw new ConnectorFailure(
    'protocol',
    'The result of the tool does not have the form that the protocol requires.',
  )
}

function isBlock(block: unknown): boolean {
  if (!isObject(block) || typeof block.type !== 'string') return false
  const fields = Object.hasOwn(FIELDS, block.type) ? FIELDS[block.type]! : {}
  return Object.entries(fields).every(([name, isValid]) => isValid(block[name]))
}

function isResource(resource: unknown): boolean {
  if (!isObject(resource)) return false
  const { uri, text, blob, mimeType } = resource
  return isText(uri) && isOptionalText(mimeType) && (isText(text) || (text === undefined && isText(blob)))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
