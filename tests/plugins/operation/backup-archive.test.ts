import { execFileSync } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import { readArchive, readWhole } from '../../../plugins/operation/backup/archive-reader.ts'
import { createArchiveWriter } from '../../../plugins/operation/backup/archive-writer.ts'
import t from '../../run/file-test.ts'

/** Writes an archive into memory. */
async function write(
  fill: (archive: ReturnType<typeof createArchiveWriter>) => Promise<void>,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  const archive = createArchiveWriter(
    new Writable({
      write(chunk, _, done) {
        chunks.push(chunk)
        done()
      },
    }),
    { key: Buffer.alloc(32) },
  )
  await fill(archive)
  await archive.finish()
  return Buffer.concat(chunks)
}

/** Reads an archive whole; its bytes arrive in pieces of this size. */
async function read(bytes: Buffer, pieceBytes = 1000) {
  const entries: { name: string; mtime: number; linkname: string | undefined; text: string }[] = []
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  )
  await readArchive(Readable.from(pieces), async ({ name, mtime, linkname }, content) => {
    entries.push({ name, mtime: mtime!.getTime(), linkname, text: `${await readWhole(content)}` })
  })
  return entries
}

const LONG = `home/${'ordner/'.repeat(40)}${'名'.repeat(80)}.txt`
const TARGET = 'x/'.repeat(90)

t.test('names, links and times of any length and age survive, and tar reads them', async (t) => {
  const bytes = await write(async (archive) => {
    await archive.add({ name: LONG, size: 6, mtime: new Date(1e12) }, [
      Buffer.from('one'),
      Buffer.from('two'),
    ])
    await archive.add({ name: 'home/link', type: 'symlink', linkname: TARGET, mtime: new Date(1e12) })
    await archive.add({ name: 'home/old', size: 0, mtime: new Date('1901-02-03') })
    await archive.add({ name: 'home/late', size: 0, mtime: new Date('9999-02-03') })
  })
  t.match(await read(bytes), [
    { name: LONG, mtime: 1e12, text: 'onetwo' },
    { name: 'home/link', linkname: TARGET },
    { name: 'home/old', mtime: 0 },
    { name: 'home/late', mtime: 0o77777777777 * 1000 },
  ])
  const listed = execFileSync('tar', ['--quoting-style=literal', '-t'], { input: bytes, encoding: 'utf8' })
  t.strictSame(listed.trim().split('\n'), [
    LONG,
    'home/link',
    'home/old',
    'home/late',
    'checksums/000001',
    'authentication',
  ])
})

t.test('content that is not as long as its header says is refused while it is written', async (t) => {
  for (const text of ['short', 'much too long'])
    await t.rejects(
      write((archive) => archive.add({ name: 'home/a', size: 8 }, [Buffer.from(text)])),
      /[Ss]ize/,
    )
})

t.test('an archive that is cut, extended or not true about a size is refused', async (t) => {
  const bytes = await write((archive) => archive.addFile('home/a', Buffer.alloc(3000, 'a')))
  t.equal((await read(bytes)).length, 1)
  for (let length = 0; length < bytes.length; length += 256)
    await t.rejects(
      read(bytes.subarray(0, length)),
      { message: /^the archive is damaged: / },
      `cut at ${length}`,
    )
  await t.rejects(read(Buffer.concat([bytes, Buffer.from('more')])), /the archive is damaged/)
  const size = bytes.indexOf('00000005670')
  for (const octal of ['00000000001', '00000077777', '77777777777']) {
    const changed = Buffer.from(bytes)
    changed.write(octal, size)
    const header = changed.subarray(0, 512)
    header.fill(' ', 148, 156)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    await t.rejects(read(changed), { message: /^the archive is damaged: / }, octal)
  }
})

t.test('an error of the source and one of the reader keep their causes', async (t) => {
  const bytes = await write((archive) => archive.addFile('home/a', Buffer.alloc(3_000_000, 'a')))
  async function* breaking() {
    yield bytes.subarray(0, 1_000_000)
    throw new Error('EIO: the disk is broken')
  }
  const ignore = async () => undefined
  await t.rejects(readArchive(Readable.from(breaking()), ignore), {
    message: 'the archive cannot be read: EIO: the disk is broken',
  })
  const source = Readable.from([bytes])
  const refuse = async () => {
    throw new TypeError('not this one')
  }
  await t.rejects(readArchive(source, refuse), new TypeError('not this one'))
  t.ok(source.destroyed)
})
