import type { MessageStructureObject } from 'imapflow'
import type { InboundFile, JSONValue } from '#plugin-api'

/** The position of a mail in its folder; `validity` tells the folder from one that replaced it. */
export interface MailPosition {
  validity: string
  uid: number
}

/** A part of a mail that is read as text. */
export interface TextPart {
  part: string
  is_html: boolean
}

/** The parts of a mail. */
export interface MailParts {
  /** In the order in which they are shown; in each group the first one with words counts. */
  texts: TextPart[][]
  files: InboundFile[]
  is_encrypted: boolean
}

/** The most parts of text and of files, and the deepest part, of a mail. */
const MAX_TEXTS = 8
const MAX_FILES = 16
const MAX_DEPTH = 20

/** Pictures within HTML up to this size in bytes count as decoration of a signature. */
const MAX_DECORATION_BYTES = 16 * 1024

const SIGNATURES = new Set([
  'application/pkcs7-signature',
  'application/x-pkcs7-signature',
  'application/pgp-signature',
])
const ENCRYPTED = new Set(['multipart/encrypted', 'application/pkcs7-mime', 'application/x-pkcs7-mime'])

/** Lists the texts and the files of a mail from its structure, as the server describes it. */
export function listParts(root: MessageStructureObject, position: MailPosition): MailParts {
  const texts: TextPart[][] = []
  const files: InboundFile[] = []
  let isEncrypted = false

  const toFile = ({
    part,
    type,
    size,
    encoding,
    dispositionParameters,
    parameters,
  }: MessageStructureObject) => {
    const filename = dispositionParameters?.filename ?? parameters?.name
    const decoded =
      size === undefined || encoding?.toLowerCase() !== 'base64' ? size : Math.floor((size * 3) / 4.1)
    const reference: JSONValue = { ...position, part: part ?? '1' }
    files.push({
      ...(filename
        ? { filename }
        : { filename: `${type.replaceAll('/', '-')}${type === 'message/rfc822' ? '.eml' : ''}` }),
      media_type: type,
      ...(decoded !== undefined && { size: decoded }),
      reference,
    })
  }

  const isText = ({ type, disposition, dispositionParameters }: MessageStructureObject) =>
    (type === 'text/plain' || type === 'text/html') &&
    disposition !== 'attachment' &&
    !dispositionParameters?.filename

  const toText = ({ part, type }: MessageStructureObject): TextPart => ({
    part: part ?? '1',
    is_html: type === 'text/html',
  })

  /** Lists the forms of a text, plain words first. */
  const listForms = (node: MessageStructureObject): TextPart[] => {
    const forms: TextPart[] = []
    const visit = (inner: MessageStructureObject, depth: number) => {
      if (isText(inner)) forms.push(toText(inner))
      else if (depth < MAX_DEPTH && inner.type !== 'message/rfc822')
        for (const child of inner.childNodes ?? []) visit(child, depth + 1)
    }
    visit(node, 0)
    return forms.sort((one, other) => Number(one.is_html) - Number(other.is_html)).slice(0, 4)
  }

  const visit = (
    node: MessageStructureObject,
    depth: number,
    isRelated: boolean,
    isAlternative: boolean,
  ): void => {
    const { type, childNodes = [], disposition, size = 0, id } = node
    if (ENCRYPTED.has(type) && node.parameters?.['smime-type'] !== 'signed-data') isEncrypted = true
    if (SIGNATURES.has(type) || depth > MAX_DEPTH) return
    if (type === 'multipart/alternative') {
      const forms = listForms(node)
      if (forms.length > 0) texts.push(forms)
      for (const child of childNodes) visit(child, depth + 1, isRelated, true)
    } else if (type !== 'message/rfc822' && childNodes.length > 0)
      for (const child of childNodes)
        visit(child, depth + 1, isRelated || type === 'multipart/related', isAlternative)
    else if (isText(node)) {
      if (!isAlternative) texts.push([toText(node)])
    } else if (type.startsWith('multipart/')) return
    else {
      const isInline = isRelated && Boolean(id) && disposition !== 'attachment' && type.startsWith('image/')
      if (!isInline || size > MAX_DECORATION_BYTES) toFile(node)
    }
  }
  visit(root, 0, false, false)
  return { texts: texts.slice(0, MAX_TEXTS), files: files.slice(0, MAX_FILES), is_encrypted: isEncrypted }
}
