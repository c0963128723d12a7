import type { AppError } from '../errors.ts'
import type { ErrorBody, ErrorReply } from '../http/error-reply.ts'
import { type JSONSchema, objectOf } from '../schema.ts'
import { anyObject, createFormCheck } from './form.ts'

/** A request that no route answers: `status` is 404, or 405 if other methods of the path have routes. */
export interface UnansweredRequest {
  method: string
  /** Below `/api`. */
  path: string
  status: 404 | 405
}

/** The form of the errors below a path, for clients of an API that somebody else has set. */
export interface ErrorForm {
  /** The beginning of the paths, below `/api`, without a slash at the end. */
  readonly path: string
  /** The beginning of the names of its schemas in the API document. */
  readonly name: string
  /** The schemas of the fields that these errors have in addition to the fields of all errors. */
  readonly fields: Readonly<Record<string, JSONSchema>>
  /** Returns the values of these fields. */
  describe(error: ErrorBody & { status: number }): Record<string, unknown>
  /** Returns the error of a request that no route answers; without one, it is NOT_FOUND or METHOD_NOT_ALLOWED. */
  refuse?(request: UnansweredRequest): AppError | undefined
}

const checkForm = createFormCheck<ErrorForm>(
  objectOf(
    {
      path: { type: 'string', pattern: '^(/[^/]+)+$' },
      name: { type: 'string', pattern: '^[A-Z][a-zA-Z0-9]*$' },
      fields: anyObject,
      describe: true,
      refuse: true,
    },
    ['path', 'name', 'fields', 'describe'],
  ),
  ['describe', 'refuse'],
)

/** Checks an entry of the extension point `kernel.error_forms`. */
export const assertErrorForm = (entry: unknown): ErrorForm => checkForm(entry, 'form of errors')

/** Finds the form of the errors of a path, which is below `/api`. */
export const findErrorForm = (forms: readonly ErrorForm[], path: string): ErrorForm | undefined =>
  forms.find((form) => `${path}/`.startsWith(`${form.path}/`))

/** Adds the fields of a form to the body of an error. */
export const inErrorForm = (form: ErrorForm | undefined, reply: ErrorReply): ErrorReply =>
  form
    ? { ...reply, body: { ...reply.body, ...form.describe({ ...reply.body, status: reply.status }) } }
    : reply
