import { type ErrorDefinition, type ErrorForm, type ErrorTable, inErrorForm } from '#plugin-api'
import { toPascalCase } from './components.ts'

type Json = Record<string, unknown>

/** Returns the schema of an error as frames and events have it; `code` is the schema of its code, `fields` are others. */
export const describeErrorFields = (code: Json, fields: ErrorForm['fields'] = {}): Json => ({
  type: 'object',
  properties: {
    code,
    message: { type: 'string', description: 'For people, in English or Chinese' },
    details: {
      type: 'object',
      additionalProperties: true,
      description: 'Facts by name, such as the field that is missing',
    },
    request_id: { type: 'string', description: 'Also in the header `X-Request-Id` and in the log' },
    ...fields,
  },
  required: ['code', 'message', 'details', 'request_id', ...Object.keys(fields)],
})

const describeErrorSchema = (code: Json, form?: ErrorForm): Json => ({
  type: 'object',
  properties: { error: describeErrorFields(code, form?.fields) },
  required: ['error'],
})

/** The schema of a code that may be any. */
export const ANY_CODE = { type: 'string', description: 'Decide by it' }

const MAX_NAME_CHARS = 60

/** Codes that any operation may answer because of the server, not of the request. */
const SERVER_CODES = ['INTERNAL_ERROR', 'DATABASE_UNAVAILABLE', 'SHUTTING_DOWN', 'STORAGE_FULL']

/** The named error responses of a document. */
export type ErrorResponses = ReturnType<typeof createErrorResponses>

/** Creates the error responses of one document; each is a component with the enum of its codes and an example of each. */
export function createErrorResponses(table: ErrorTable, schemas: Json) {
  const responses: Json = {}
  schemas.Error = describeErrorSchema(ANY_CODE)

  const refer = (ownName: string, code: Json, codes: readonly string[], form?: ErrorForm): Json => {
    const name = `${form?.name ?? ''}${ownName}`
    const definitions = codes.map((code) => [code, table[code]!] as const)
    schemas[name] ??= describeErrorSchema(code, form)
    responses[name] ??= {
      description: definitions.map(toLine).join('\n'),
      ...(codes.includes('RATE_LIMITED') && { headers: RETRY_AFTER }),
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${name}` },
          examples: Object.fromEntries(
            definitions.map(([code, one]) => [code, { value: toExample(code, one, form) }]),
          ),
        },
      },
    }
    return { $ref: `#/components/responses/${name}` }
  }

  const referToCodes = (codes: readonly string[], shortName: string, form?: ErrorForm): Json => {
    const name = `${codes.map((code) => toPascalCase(code.toLowerCase())).join('Or')}Error`
    const shown = new Set(codes.map((code) => table[code]!.code ?? code))
    return refer(
      name.length > MAX_NAME_CHARS ? shortName : name,
      { type: 'string', enum: [...shown] },
      codes,
      form,
    )
  }

  return {
    responses,
    /** Returns the responses of an operation that answers these codes, by status; `operation` begins names that would be too long. */
    describe(codes: readonly string[], operation: string, form?: ErrorForm): Json {
      const byStatus = new Map<number, Set<string>>()
      for (const code of [...codes, 'BAD_REQUEST']) {
        const { status } = table[code]!
        byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
      }
      const described = [...byStatus].map(([status, codesOfStatus]) => [
        status,
        referToCodes([...codesOfStatus].sort(), `${operation}${status}Error`, form),
      ])
      return { ...Object.fromEntries(described), default: refer('Error', ANY_CODE, SERVER_CODES, form) }
    },
  }
}

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } },
}

const toLine = ([code, { code: shown = code, message }]: readonly [string, ErrorDefinition]) =>
  `- \`${shown}\`: ${message.en}`

const toExample = (
  code: string,
  { code: shown = code, message, status }: ErrorDefinition,
  form?: ErrorForm,
) => {
  const body = { code: shown, message: message.en, details: {}, request_id: '01KDVMF00000000000000000AG' }
  return { error: inErrorForm(form, { status, level: 'info', body }).body }
}
