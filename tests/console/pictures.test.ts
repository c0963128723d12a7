import type { Locator, Page } from 'playwright-core'
import t from '../run/file-test.ts'
import { createHold, startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'
import { pluginSource } from '../support/kernel.ts'

/** A picture that the browser of a test draws. */
interface Drawing {
  type: string
  width: number
  height: number
  /** Noise needs as many bytes as it can. */
  look?: 'plain' | 'noise' | 'transparent'
}

/** Runs in a page: draws a picture and returns it in base64. */
const draw = async ({ type, width, height, look = 'plain' }: Drawing): Promise<string> => {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const { OffscreenCanvas, ImageData, FileReader } = globalThis as any
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')
  if (look === 'noise') {
    const data = new Uint8ClampedArray(width * height * 4)
    for (let index = 0; index < data.length; index += 1)
      data[index] = index % 4 === 3 ? 255 : Math.random() * 256
    context.putImageData(new ImageData(data, width, height), 0, 0)
  } else {
    context.fillStyle = 'red'
    // The left half only: the rest is transparent, or the other colour.
    context.fillRect(0, 0, width / 2, height)
    context.fillStyle = 'blue'
    if (look === 'plain') context.fillRect(width / 2, 0, width / 2, height)
  }
  const blob = await canvas.convertToBlob({ type, quality: 1 })
  return new Promise((resolve) => {
    const reader = Object.assign(new FileReader(), {
      onload: () => resolve(reader.result.split(',')[1]),
    })
    reader.readAsDataURL(blob)
  })
}

/** Runs in a page: the size of a picture, and the colours of its corners as `r,g,b,a`. */
const look = async (base64: string) => {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const { OffscreenCanvas, createImageBitmap, atob, Blob } = globalThis as any
  const bytes = Uint8Array.from(atob(base64), (letter: string) => letter.charCodeAt(0))
  const picture = await createImageBitmap(new Blob([bytes]), { imageOrientation: 'none' })
  const { width, height } = picture
  const context = new OffscreenCanvas(width, height).getContext('2d')
  context.drawImage(picture, 0, 0)
  const colourAt = (x: number, y: number) => [...context.getImageData(x, y, 1, 1).data].join()
  return { width, height, first: colourAt(2, 2), last: colourAt(width - 3, height - 3) }
}

/** Adds an EXIF orientation to a JPEG. */
function turn(jpeg: Buffer, orientation: number): Buffer {
  const exif = Buffer.from('Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\0\0\0\0\0\0\0\0', 'latin1')
  exif.writeUInt16LE(orientation, 24)
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, exif.length + 2])
  return Buffer.concat([head, exif, jpeg.subarray(2)])
}

/** A tool that hands over a picture of the workspace. */
const PAINTER = pluginSource(
  'painter',
  `host.extend('agents.tools', { name: 'draw', label: { en: 'Draw', zh: '画' }, description: 'Draws.',
     input_schema: { type: 'object' }, disableable: true,
     execute: ({ path }, { attach }) => { attach({ path, media_type: 'image/png' }); return 'Drawn' } })`,
  "depends: ['agents'],",
)

const GIF = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

t.test('pictures in a chat', { skip: noChromium }, async (t) => {
  const chat = await startChat(t, { plugins: { painter: PAINTER } })
  const { server, fake, agent_id } = chat
  await server.request('PATCH', `/agents/${agent_id}/tool-settings/draw`, { body: { enabled: true } })
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: `/chat/${agent_id}` })
  const picker = page.locator('main input[type=file]')
  const field = page.getByRole('textbox', { name: 'Message assistant…' })
  const begin = () => page.getByRole('link', { name: 'New conversation with assistant' }).click()
  const drawn = async (drawing: Drawing) => Buffer.from(await page.evaluate(draw, drawing), 'base64')
  const attached = (name: string) => page.getByRole('button', { name: `Remove ${name}` }).waitFor()

  const request = (path: string, init?: { method: string; body: Buffer }) =>
    fetch(`${server.url}/api/agents/${agent_id}/files/content?path=${encodeURIComponent(path)}`, {
      ...init,
      headers: {
        authorization: `Bearer ${server.admin.token}`,
        ...(init && { 'content-type': 'application/octet-stream' }),
      },
    })
  const read = async (path: string) => Buffer.from(await (await request(path)).arrayBuffer())
  const write = (path: string, body: Buffer) => request(path, { method: 'PUT', body })
  /** Sends what is attached; resolves with the files of the stored message. */
  const send = async (text: string, on: Page = page) => {
    fake.next({ text: 'I see.' })
    await field.fill(text)
    await on.keyboard.press('Enter')
    await on.getByText('I see.').last().waitFor()
    const { messages } = await chat.history(on.url().split('/').at(-1)!)
    const [message] = messages.filter(({ role }: { role: string }) => role === 'user').slice(-1)
    return message.content.filter(({ type }: { type: string }) => type !== 'text')
  }
  const isShown = (picture: Locator) =>
    // biome-ignore lint/suspicious/noExplicitAny: an element of a page
    picture.evaluate((image: any) => image.decode().then(() => image.naturalWidth > 0))

  await t.test('large pictures are scaled down before they are uploaded', async (t) => {
    const files = [
      { name: 'wide.jpg', type: 'image/jpeg', width: 4000, height: 1000 },
      { name: 'noise.png', type: 'image/png', width: 2000, height: 1500, look: 'noise' },
      { name: 'clear.png', type: 'image/png', width: 3000, height: 3000, look: 'transparent' },
      { name: 'clear.webp', type: 'image/webp', width: 1000, height: 3000, look: 'transparent' },
      { name: 'small.png', type: 'image/png', width: 20, height: 10 },
    ] as const
    const contents = []
    for (const { name, ...drawing } of files)
      contents.push({ name, mimeType: drawing.type, buffer: await drawn(drawing) })
    const turned = turn(await drawn({ type: 'image/jpeg', width: 80, height: 40 }), 6)
    contents.push({ name: 'turned.jpg', mimeType: 'image/jpeg', buffer: turned })
    contents.push({ name: 'dot.gif', mimeType: 'image/gif', buffer: GIF })
    contents.push({ name: 'photo.heic', mimeType: 'image/heic', buffer: Buffer.from('ftypheic') })
    await picker.setInputFiles(contents)
    await attached('photo.heic')
    const sent = await send('What are these?')
    t.strictSame(
      sent.map(({ type, filename }: { type: string; filename: string }) => `${type} ${filename}`),
      [
        'image wide.jpg',
        'image noise.jpg',
        'image clear.png',
        'image clear.webp',
        'image small.png',
        'image turned.jpg',
        'image dot.gif',
        'file photo.heic',
      ],
    )
    const stored = await Promise.all(sent.map(({ path }: { path: string }) => read(path)))
    for (const content of stored) t.ok(content.length <= 3_500_000, 'a picture fits')
    const seen = []
    for (const content of stored.slice(0, 6)) seen.push(await page.evaluate(look, content.toString('base64')))
    const [wide, noise, clear, clearWebp, small, upright] = seen as Awaited<ReturnType<typeof look>>[]
    t.match(wide, { width: 2048, height: 512 })
    t.ok(noise!.width <= 2000 && Math.abs(noise!.width / noise!.height - 4 / 3) < 0.01, 'the shape is kept')
    t.match(clear, { width: 2048, height: 2048, first: '255,0,0,255', last: '0,0,0,0' })
    t.match(clearWebp, { width: 683, height: 2048, last: '0,0,0,0' })
    t.match(small, { width: 20, height: 10 })
    t.ok(stored[4]!.equals(contents[4]!.buffer), 'a small picture is not written again')
    t.match(upright, { width: 40, height: 80 })
    t.match(upright!.first, /^25\d,\d,\d,255$/, 'the left side of a picture that was turned is above')
    t.ok(stored[6]!.equals(GIF))
    t.strictSame(faults, [])
  })

  await t.test('a sent picture is in its message, and a click enlarges it', async (t) => {
    await begin()
    await picker.setInputFiles({
      name: 'chart.png',
      mimeType: 'image/png',
      buffer: await drawn({ type: 'image/png', width: 600, height: 300 }),
    })
    await attached('chart.png')
    await send('What is this?')
    t.ok(await isShown(page.getByRole('img', { name: 'chart.png' })))
    await page.reload()
    t.ok(await isShown(page.getByRole('img', { name: 'chart.png' })))
    await page.getByRole('button', { name: 'Enlarge chart.png' }).click()
    t.ok(await isShown(page.getByRole('dialog').getByRole('img', { name: 'chart.png' })))
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    t.strictSame(faults, [])
  })

  await t.test('pictures are pasted and dropped', async (t) => {
    await begin()
    for (const [event, property, name] of [
      ['paste', 'clipboardData', 'pasted.png'],
      ['drop', 'dataTransfer', 'dropped.png'],
    ] as const) {
      const base64 = (await drawn({ type: 'image/png', width: 30, height: 30 })).toString('base64')
      await field.evaluate(
        (element, { event, property, name, base64 }) => {
          // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
          const { DataTransfer, File, Event, atob } = globalThis as any
          const bytes = Uint8Array.from(atob(base64), (letter: string) => letter.charCodeAt(0))
          const data = new DataTransfer()
          data.items.add(new File([bytes], name, { type: 'image/png' }))
          const init = { bubbles: true, cancelable: true }
          // biome-ignore lint/suspicious/noExplicitAny: an element of a page
          ;(element as any).dispatchEvent(Object.assign(new Event(event, init), { [property]: data }))
        },
        { event, property, name, base64 },
      )
      await attached(name)
    }
    const sent = await send('And these?')
    t.strictSame(
      sent.map(({ filename }: { filename: string }) => filename),
      ['pasted.png', 'dropped.png'],
    )
    t.strictSame(faults, [])
  })

  await t.test('a file that cannot be uploaded is named, and the others are kept', async (t) => {
    await begin()
    let uploads = 0
    await page.route('**/upload', (route) => {
      uploads += 1
      return uploads === 1 ? route.abort() : route.continue()
    })
    const buffer = Buffer.from('text')
    await picker.setInputFiles([
      { name: 'first.txt', mimeType: 'text/plain', buffer },
      { name: 'second.txt', mimeType: 'text/plain', buffer },
    ])
    await attached('second.txt')
    await page.getByRole('alert').filter({ hasText: 'first.txt' }).waitFor()
    await page.unrouteAll()
    await send('Read it')
    t.equal(await page.getByRole('alert').count(), 0)
    t.strictSame(faults, [])
  })

  await t.test(
    'pictures of the draft are enlarged and put in order; one that cannot be read says so',
    async (t) => {
      await begin()
      const [wide, tall] = [
        await drawn({ type: 'image/png', width: 400, height: 100 }),
        await drawn({ type: 'image/jpeg', width: 100, height: 400 }),
      ]
      const gate = createHold()
      await page.route('**/upload', (route) => gate.hold.then(() => route.continue()), { times: 1 })
      await picker.setInputFiles([
        { name: 'wide.png', mimeType: 'image/png', buffer: wide },
        { name: 'tall.jpg', mimeType: 'image/jpeg', buffer: tall },
        { name: 'spoilt.png', mimeType: 'image/png', buffer: Buffer.from('no picture') },
      ])
      await page.getByRole('status').getByText('Uploading wide.png, 1 of 3…').waitFor()
      gate.release()
      await attached('spoilt.png')
      const item = (name: string) =>
        page
          .locator('form')
          .getByRole('listitem')
          .filter({ has: page.getByRole('button', { name: `Remove ${name}` }) })
      await item('spoilt.png').getByText('Not a readable picture').waitFor()
      t.equal(await item('spoilt.png').getByRole('img').count(), 0)
      await page.getByRole('button', { name: 'Remove spoilt.png' }).click()

      t.ok(await isShown(item('tall.jpg').getByRole('img', { name: 'tall.jpg' })))
      for (const name of ['wide.png', 'tall.jpg'])
        t.match(
          await item(name)
            .getByRole('button', { name: `Enlarge ${name}` })
            .boundingBox(),
          { width: 64, height: 64 },
        )
      await page.getByRole('button', { name: 'Enlarge wide.png' }).click()
      t.ok(await isShown(page.getByRole('dialog').getByRole('img', { name: 'wide.png' })))
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })

      await item('tall.jpg').hover()
      await page.getByRole('button', { name: 'Move tall.jpg forward' }).click()
      const sent = await send('In this order?')
      t.strictSame(
        sent.map(({ filename }: { filename: string }) => filename),
        ['tall.jpg', 'wide.png'],
      )
      const shown = page.getByRole('button', { name: 'Enlarge tall.jpg' })
      t.ok(await isShown(shown.getByRole('img')))
      t.match(await shown.boundingBox(), { height: 180 }, 'its height is reserved')
      t.strictSame(faults, [])
    },
  )

  await t.test('an answer shows pictures of the workspace, and leads to those of other sites', async (t) => {
    await begin()
    await write('charts/sales 图.png', await drawn({ type: 'image/png', width: 600, height: 300 }))
    const foreign: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('foreign.test')) foreign.push(request.url())
    })
    fake.next({
      text: '![Sales](charts/sales%20%E5%9B%BE.png)\n\n![Gone](./gone.png)\n\n![Notes](notes.md)\n\n![Far](https://foreign.test/a.png?data=1)',
    })
    await field.fill('Draw')
    await page.keyboard.press('Enter')
    const answer = page.getByRole('article')
    t.ok(await isShown(answer.getByRole('img', { name: 'Sales' })))
    await answer.getByRole('button', { name: 'Enlarge Sales' }).click()
    t.ok(await isShown(page.getByRole('dialog').getByRole('img', { name: 'Sales' })))
    await page.keyboard.press('Escape')
    await answer.getByRole('button', { name: 'Gone', exact: true }).waitFor()
    await answer.getByRole('button', { name: 'Notes' }).waitFor()
    await answer.getByText('foreign.test').waitFor()
    await answer.getByRole('link', { name: 'Open picture' }).click()
    await page.getByRole('dialog').getByText('https://foreign.test/a.png?data=1').waitFor()
    await page.keyboard.press('Escape')
    t.strictSame([...foreign, ...faults], [])
  })

  await t.test('a picture that the agent makes is shown in its answer', async (t) => {
    await begin()
    await write('drawn.png', await drawn({ type: 'image/png', width: 60, height: 30 }))
    await write('broken.png', Buffer.from('no picture'))
    fake.next(
      { toolCalls: ['drawn.png', 'broken.png'].map((path) => ({ name: 'draw', arguments: { path } })) },
      { text: 'Here it is.' },
    )
    await field.fill('Draw')
    await page.keyboard.press('Enter')
    const answer = page.getByRole('article')
    t.ok(await isShown(answer.getByRole('img', { name: 'drawn.png' })))
    await answer.getByRole('button', { name: 'broken.png', exact: true }).waitFor()
    t.strictSame(faults, [])
  })
})
