import pino from 'pino'

/** The kernel's logger: pino, one JSON object a line. */
export type Logger = pino.Logger

const SECRET_NAMES = [
  'password',
  'old_password',
  'new_password',
  'admin_password',
  'api_key',
  'secret',
  'client_secret',
  'app_secret',
  'bot_token',
  'token',
  'access_token',
  'authorization',
  'cookie',
]

/** Secret fields at any of the depths that our log objects have. */
export const REDACTED_PATHS = SECRET_NAMES.flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
  `*.*.*.${name}`,
])

/** Makes a logger that writes to `destination`, or to standard error, where it is readable for a person on a terminal. */
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
    redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    serializers: { error: pino.stdSerializers.err },
  }
  if (destination) return pino(options, destination)
  if (!process.stderr.isTTY) return pino(options, pino.destination({ dest: 2, sync: false }))
  const transport = { target: 'pino-pretty', options: { destination: 2, ignore: 'pid,hostname' } }
  return pino({ ...options, transport })
}
