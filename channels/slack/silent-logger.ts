import type { Logger } from '@slack/web-api'

const nothing = () => {}

/** A logger that drops everything: the libraries log whole messages, addresses with tickets, and headers. */
export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  setName: nothing,
  getLevel: () => 'error' as ReturnType<Logger['getLevel']>,
}
