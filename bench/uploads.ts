import { makePdf } from '../tests/support/office-files.ts'
import { type Figure, median, quantile, spread } from './figure.ts'
import { readRss } from './memory.ts'

const rounds = 7
const filesAtOnce = 20

/** Makes a PDF of 30 pages of text, which no earlier one equals. */
export const makeLongPdf = (name: string): Buffer =>
  makePdf(
    Array.from({ length: 30 }, (_, page) =>
      Array.from({ length: 45 }, (_, line): [string] => [
        `${name}, page ${page + 1}, line ${line}: the ferry leaves the harbour at six, on Sundays at eight.`,
      ]),
    ),
  )

/** Measures the time from the upload of a PDF of 30 pages to its text, and what many at once cost the server. */
export const measureUploads: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome())
  const { agentId, token } = await stage.createAccount(service)
  const headers = { authorization: `Bearer ${token}` }
  const read = async (name: string) => {
    const form = new FormData()
    form.set('file', new Blob([makeLongPdf(name) as never]), `${name}.pdf`)
    const startedAt = performance.now()
    const upload = await fetch(`${service.url}/api/agents/${agentId}/upload`, {
      method: 'POST',
      headers,
      body: form,
    })
    const { path } = (await upload.json()) as { path: string }
    const address = `${service.url}/api/agents/${agentId}/files/document?path=${encodeURIComponent(path)}`
    const reply = await fetch(address, { headers })
    const { pages } = (await reply.json()) as { pages: { text: string }[] }
    if (!pages[0]?.text.includes(name)) throw new Error(`${name} was not read`)
    return performance.now() - startedAt
  }
  await read('warm')
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) times.push(await read(`alone ${round}`))
  const rssBefore = await readRss(service.pid)
  let most = rssBefore
  const watching = setInterval(async () => {
    most = Math.max(most, await readRss(service.pid))
  }, 20)
  const together = await Promise.all(
    Array.from({ length: filesAtOnce }, (_, index) => read(`together ${index}`)),
  )
  clearInterval(watching)
  return [
    {
      measure: 'a PDF of 30 pages, until its text',
      value: median(times),
      unit: 'ms',
      note: `${spread(times)}; aim: 1500`,
    },
    { measure: `${filesAtOnce} at once, the last one`, value: quantile(together, 1), unit: 'ms' },
    {
      measure: `${filesAtOnce} at once, memory of the server`,
      value: (most - rssBefore) / 1024,
      unit: 'MiB',
      note: 'at the peak; aim: 20',
    },
  ]
}
