import { use } from 'react'
import { t } from '../../i18n/words.ts'
import { ImageOff } from '../../ui/icons.ts'
import { isPicture, Picture } from '../files/picture.tsx'
import { AgentContext } from '../messages/sources.ts'
import classes from './answer-picture.module.css'
import { FileLink, mediaTypeOf, readFileLink } from './file-link.tsx'
import { MarkdownLink, toWebAddress } from './markdown-link.tsx'

interface Props {
  src: string | Blob | undefined
  alt: string | undefined
}

/**
 * A picture in a text of a model. One in the workspace of its agent is shown; one of another site is a link, because
 * its address can carry data away, and the page loads nothing from other sites.
 */
export function AnswerPicture({ src, alt = '' }: Props) {
  const agent_id = use(AgentContext)
  const href = typeof src === 'string' ? src : undefined
  const file = readFileLink(href)
  if (file && agent_id !== undefined) {
    const filename = file.path.split('/').at(-1)!
    const picture = { path: file.path, filename: alt || filename, media_type: mediaTypeOf(filename) }
    if (isPicture(picture)) return <Picture agent_id={agent_id} file={picture} size="large" />
    return <FileLink {...file}>{alt || filename}</FileLink>
  }
  const address = toWebAddress(href)
  if (!address?.startsWith('http')) return <span className={classes.name}>{alt}</span>
  return (
    <span className={classes.card}>
      <ImageOff size={16} aria-hidden />
      <span className={classes.name}>
        {alt && <b>{alt}</b>} {new URL(address).host}
      </span>
      <MarkdownLink href={address}>{t('chat.load_picture')}</MarkdownLink>
    </span>
  )
}
