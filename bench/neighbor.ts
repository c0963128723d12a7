import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makePdfBomb } from '../tests/support/office-files.ts'
import { openChatSocket } from './chat-socket.ts'
import { startMcp } from './connectors.ts'
import { type Figure, quantile } from './figure.ts'
import { readRss } from './memory.ts'
import type { Service } from './service.ts'
import { makeLongPdf } from './uploads.ts'

const turns = 150
const mib = 1024 * 1024

/** Another account, which does its worst. */
type Attacker = Awaited<ReturnType<typeof createAttacker>>

/**
 * Measures the time to the first text of an account while another account makes deep folders, uploads documents that
 * unpack to gigabytes or nest without end, or uses a connector whose schemas refer to themselves; and the memory that
 * the server takes meanwhile.
 */
export const measureNeighbor: Figure = async (stage) => {
  const home = await stage.createHome()
  const config = { plugins: { connectors: { allow_hosts: ['127.0.0.1'] } } }
  await writeFile(join(home, 'config.json'), JSON.stringify(config))
  const service = await stage.startService(home)
  const account = await stage.createAccount(service)
  const attacker = await createAttacker(service, account)
  const socket = await openChatSocket(account.chatUrl)
  const readTimes = async () => {
    const times: number[] = []
    for (let turn = 0; turn < turns; turn++) times.push(await socket.turn('Hello.'))
    return times
  }
  await readTimes()
  const attacks = {
    'deep folders': makeFolders,
    bombs: uploadBombs,
    nesting: uploadNesting,
    schemas: useSchemas,
    documents: attachDocuments,
  }
  const rows = []
  for (const [name, attack] of Object.entries(attacks)) {
    const quiet = quantile(await readTimes(), 0.95)
    const rssBefore = await readRss(service.pid)
    let rssAtMost = rssBefore
    const stop = new AbortController()
    const attacking = attack(attacker, stop.signal)
    const watching = (async () => {
      while (!stop.signal.aborted) {
        rssAtMost = Math.max(rssAtMost, await readRss(service.pid))
        await sleep(50)
      }
    })()
    await sleep(1000)
    const loud = quantile(await readTimes(), 0.95)
    stop.abort()
    const count = await attacking
    await watching
    const note = `p95 of ${turns} turns; ${count} requests of the other account`
    rows.push(
      { measure: `${name}, first text`, value: loud / quiet, unit: 'x', note: `${note}; aim: at most 2` },
      {
        measure: `${name}, memory`,
        value: (rssAtMost - rssBefore) / 1024,
        unit: 'MiB',
        note: 'aim: at most 300',
      },
    )
  }
  return rows
}

async function createAttacker(
  { url }: Service,
  account: { call<T>(method: string, path: string, body?: object): Promise<T> },
) {
  const user = { username: 'neighbor', password: 'neighbor-1-secret' }
  const permissions = ['knowledge_bases', 'connectors']
  await account.call('POST', '/users', { ...user, permissions })
  const send = async (method: string, path: string, body?: object, token?: string) => {
    const isForm = body instanceof FormData
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    })
    return (await response.json().catch(() => undefined)) as never
  }
  const { access_token: token } = await send('POST', '/auth/login', user)
  const call = <Reply>(method: string, path: string, body?: object): Promise<Reply> =>
    send(method, path, body, token)
  const [assistant] = await call<[{ id: string }]>('GET', '/agents')
  const agent_id = assistant.id
  const chatUrl = `${url.replace(/^http/, 'ws')}/api/agents/${agent_id}/chat/ws?token=${token}`
  return { call, agent_id, chatUrl }
}

/** Repeats a request until it is stopped; returns the number of times. */
async function repeat(signal: AbortSignal, work: (round: number) => Promise<unknown>): Promise<number> {
  let round = 0
  for (; !signal.aborted; round += 1) await work(round)
  return round
}

const makeFolders = ({ call, agent_id }: Attacker, signal: AbortSignal) =>
  repeat(signal, async (round) => {
    const files = `/agents/${agent_id}/files`
    const path = [round, ...Array.from({ length: 30 }, () => 'd'.repeat(60))].join('/')
    await call('POST', `${files}/directories`, { path })
    await call('POST', `${files}/move`, { from: String(round), to: `a/b/c/${round}` })
  })

/** Uploads files to a knowledge base again and again, a few at a time. */
async function upload({ call }: Attacker, signal: AbortSignal, files: [string, string | Buffer][]) {
  const { id } = await call<{ id: string }>('POST', '/knowledge-bases', { name: `hostile ${files[0]![0]}` })
  return repeat(signal, async (round) => {
    const form = new FormData()
    for (const [name, content] of files)
      form.append('file', new Blob([content as string]), `${round} ${name}`)
    await call('POST', `/knowledge-bases/${id}/documents`, form)
    await sleep(500)
  })
}

const uploadBombs = (attacker: Attacker, signal: AbortSignal) =>
  upload(attacker, signal, [
    ['twice.pdf', makePdfBomb(1500 * mib, { isTwice: true })],
    ['once.pdf', makePdfBomb(450 * mib)],
  ])

const uploadNesting = (attacker: Attacker, signal: AbortSignal) =>
  upload(attacker, signal, [
    ['deep.html', '<div>'.repeat(500_000)],
    ['quotes.md', `${'>'.repeat(200_000)} a`],
    ['stars.md', 'a**b'.repeat(80_000)],
    ['objects.json', '{"a":'.repeat(5000)],
  ])

/** Uploads 20 documents to a conversation at once, again and again. */
const attachDocuments = ({ call, agent_id }: Attacker, signal: AbortSignal) =>
  repeat(signal, async (round) => {
    const uploads = Array.from({ length: 20 }, async (_, index) => {
      const form = new FormData()
      const name = `${round} ${index}`
      form.set('file', new Blob([makeLongPdf(name) as never]), `${name}.pdf`)
      await call('POST', `/agents/${agent_id}/upload`, form)
    })
    await Promise.all(uploads)
  })

/** Lists tools whose schemas double with each of 23 levels, and has turns that offer them. */
async function useSchemas({ call, chatUrl }: Attacker, signal: AbortSignal) {
  const levels = Array.from({ length: 23 }, (_, level) => {
    const next = { $ref: `#/$defs/level${level + 1}` }
    return [`level${level}`, { allOf: [next, next] }]
  })
  const $defs = { ...Object.fromEntries(levels), level23: { type: 'object' } }
  const inputSchema = { type: 'object', $ref: '#/$defs/level0', $defs }
  const annotations = { readOnlyHint: true }
  const tools = Array.from({ length: 60 }, (_, n) => ({ name: `deep${n}`, inputSchema, annotations }))
  const mcp = await startMcp(tools)
  const { id } = await call<{ id: string }>('POST', '/connectors', {
    name: 'hostile',
    kind: 'mcp',
    config: { url: mcp.url },
  })
  const socket = await openChatSocket(chatUrl)
  const count = await repeat(signal, async () => {
    await call('POST', `/connectors/${id}/test`)
    await socket.turn('Go.')
  })
  await socket.close()
  mcp.close()
  return count
}
