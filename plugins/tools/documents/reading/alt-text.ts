/** The name of a picture in a program, such as `Picture 4`, or the name of its file. */
const PROGRAM_NAME =
  /^(?:\p{L}{1,40} ?\d{1,6}|\S{0,200}\.(?:png|jpe?g|gif|bmp|emf|wmf|svg|tiff?|webp|heic))$/iu
/** Words of the sentence that Office programs add to their own descriptions. */
const GENERATED = /automati|genera|generi|génér|gerad|自动|自動|자동|автомат|\b(?:AI|KI|IA)\b/i

/** Returns the description of a picture, which is empty unless a person wrote it. */
export function toAltText(description = ''): string {
  const text = description.trim()
  if (PROGRAM_NAME.test(text)) return ''
  const [, addition = ''] = text.split(/\r?\n\s*\n/, 2)
  return GENERATED.test(addition) ? '' : text
}
