import pino from 'pino'
import { createLogOutput, type LogOutput } from './log-output.ts'

/** The kernel's logger: pino, one JSON object a line. */
export type Logger = pino.Logger

/** Names of fields whose values are never written; also `X-Access-Token`, `apiKey`, `set-cookie` and their like. */
const SECRET_NAME = /(password|passwd|secret|token|api[-_]?key|private[-_]?key|authorization|cookie)$/i

/** Deeper values are not written. */
const DEPTH_LIMIT = 6

/** A copy without the values of secret fields. pino's own redaction knows no pattern of names and costs 30 µs a line. */
function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === DEPTH_LIMIT) return '[deeper]'
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1))
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      SECRET_NAME.test(name) && field ? '[redacted]' : withoutSecrets(field, depth + 1),
    ]),
  )
}

/** The parts of an error that explain its cause, and no more: client libraries attach whole requests with their keys. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return withoutSecrets(error)
  const { type, message, stack } = pino.stdSerializers.err(error)
  const { code, status, details, errors } = error as Error & Record<string, unknown>
  const parts = Array.isArray(errors) ? errors.map(describeError) : undefined
  return { type, message, stack, code, status, details: withoutSecrets(details), errors: parts }
}

let output: LogOutput | undefined
/** Returns the output of all loggers of this process that write to standard error. */
const standardError = () => {
  output ??= createLogOutput(2)
  return output
}

/** Counts the lines of this process that could not be written to standard error. */
export const countDroppedLines = (): number => standardError().dropped

/** Makes a logger that writes to `destination`, or to standard error, in a readable form on a terminal. */
export function createLogger({
  level,
  destination,
}: {
  level: string
  destination?: pino.DestinationStream
}): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: undefined,
    formatters: { log: (fields) => withoutSecrets(fields) as Record<string, unknown> },
    serializers: { error: describeError, err: describeError },
  }
  if (destination) return pino(options, destination)
  if (!process.stderr.isTTY) return pino(options, standardError())
  const transport = { target: 'pino-pretty', options: { destination: 2, ignore: 'pid,hostname' } }
  return pino({ ...options, transport })
}
