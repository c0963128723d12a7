/** The part of a file that has its EXIF data, if there is any. */
const HEAD_BYTES = 128 * 1024
const APP1 = 0xffe1
const ORIENTATION = 0x0112

/** Returns the EXIF orientation of a JPEG, from 1 to 8; 1, which is upright, if it has none. */
export async function readOrientation(file: Blob): Promise<number> {
  const view = new DataView(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const exif = findExif(view)
  if (exif === undefined) return 1
  const isLittle = view.getUint16(exif) === 0x4949
  const entries = exif + view.getUint32(exif + 4, isLittle)
  if (entries + 2 > view.byteLength) return 1
  const count = view.getUint16(entries, isLittle)
  for (let at = entries + 2; at < entries + 2 + count * 12 && at + 12 <= view.byteLength; at += 12)
    if (view.getUint16(at, isLittle) === ORIENTATION) return view.getUint16(at + 8, isLittle)
  return 1
}

/** The offset of the EXIF data among the segments of a JPEG. */
function findExif(view: DataView): number | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined
  for (let at = 2; at + 18 <= view.byteLength; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at)
    if (marker === APP1 && view.getUint32(at + 4) === 0x45786966) return at + 10
    if (marker < 0xffe0 || marker === 0xffff) return undefined
  }
  return undefined
}
