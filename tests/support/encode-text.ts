/** The bytes of each character, by charset. */
const tables = new Map<string, Map<string, number[]>>()

/** Encodes a text in any charset that Node can decode, or in UTF-32. */
export function encode(text: string, charset: string): Buffer {
  if (charset === 'utf-8') return Buffer.from(text)
  if (charset === 'utf-16le') return Buffer.from(text, 'utf16le')
  if (charset === 'utf-16be') return Buffer.from(text, 'utf16le').swap16()
  if (charset.startsWith('utf-32')) return encodeUtf32(text, charset.endsWith('le'))
  if (charset === 'iso-2022-jp') return encodeIso2022(text)
  const table = tables.get(charset) ?? createTable(charset)
  tables.set(charset, table)
  return Buffer.from(
    [...text].flatMap((character) => {
      const bytes = table.get(character)
      if (!bytes) throw new Error(`${character} is not in ${charset}`)
      return bytes
    }),
  )
}

function createTable(charset: string): Map<string, number[]> {
  const table = new Map<string, number[]>()
  const add = (...bytes: number[]) => {
    const decoder = new TextDecoder(charset)
    const text = decoder.decode(Uint8Array.from(bytes), { stream: true }) + decoder.decode()
    if (!text.includes('\ufffd') && [...text].length === 1 && !table.has(text)) table.set(text, bytes)
  }
  for (let byte = 0; byte < 256; byte += 1) add(byte)
  const hasPairs = /^(gb|big5|euc|shift)/.test(charset)
  if (hasPairs)
    for (let lead = 0x81; lead < 0xff; lead += 1)
      for (let trail = 0x40; trail < 0xff; trail += 1) add(lead, trail)
  return table
}

function encodeUtf32(text: string, isLittle: boolean): Buffer {
  const codes = Array.from(text, (character) => character.codePointAt(0)!)
  const bytes = Buffer.alloc(codes.length * 4)
  for (const [index, code] of codes.entries())
    if (isLittle) bytes.writeUInt32LE(code, index * 4)
    else bytes.writeUInt32BE(code, index * 4)
  return bytes
}

/** Encodes Japanese in 7 bits: the bytes of EUC-JP without their high bits, between escapes. */
const encodeIso2022 = (text: string): Buffer =>
  Buffer.concat(
    (text.match(/[\0-\x7f]+|[^\0-\x7f]+/g) ?? []).map((part) =>
      part.charCodeAt(0) < 0x80
        ? Buffer.from(part)
        : Buffer.concat([
            Buffer.from('\x1b$B'),
            Buffer.from(encode(part, 'euc-jp').map((byte) => byte & 0x7f)),
            Buffer.from('\x1b(B'),
          ]),
    ),
  )
