import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'

/** The pages that make a robot when a code is scanned. `origin` is where the code leads. */
export function createRegistrations(robot: { bot_id: string; secret: string }, violations: string[]) {
  const statuses = new Map<string, string>()
  let last = ''

  const reply = (response: ServerResponse, data: unknown) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))

  return {
    serve({ pathname, searchParams }: URL, response: ServerResponse, origin: string) {
      if (pathname === '/ai/qc/generate') {
        if (!searchParams.get('source') || !/^[0-3]$/.test(searchParams.get('plat') ?? ''))
          violations.push('a QR code was asked for without saying by whom')
        last = randomUUID()
        statuses.set(last, 'init')
        reply(response, { scode: last, auth_url: `${origin}/ai/qc/c?s=${last}` })
      } else if (pathname === '/ai/qc/query_result') {
        const status = statuses.get(searchParams.get('scode') ?? '')
        if (!status) return void response.writeHead(404).end()
        const bot_info = { botid: robot.bot_id, secret: robot.secret }
        reply(response, { status, ...(status === 'success' && { bot_info }) })
      } else response.writeHead(404).end()
    },

    scan(outcome: 'success' | 'expired' | 'failed') {
      if (!statuses.has(last)) throw new Error('no QR code was begun')
      statuses.set(last, outcome)
    },
  }
}
