import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../i18n/words.ts'
import { ImageOff } from '../../ui/icons.ts'
import classes from './foreign-picture.module.css'
import { toWebAddress } from './markdown-link.tsx'

interface Props {
  src: string | Blob | undefined
  alt: string | undefined
}

/** A picture in a text of a model. It is loaded when somebody allows it, because its address can carry data away. */
export function ForeignPicture({ src, alt = '' }: Props) {
  const [isAllowed, setAllowed] = useState(false)
  const address = typeof src === 'string' ? toWebAddress(src) : undefined
  if (!address?.startsWith('http')) return <span className={classes.name}>{alt}</span>
  if (isAllowed)
    return (
      <img className={classes.picture} src={address} alt={alt} referrerPolicy="no-referrer" loading="lazy" />
    )
  return (
    <span className={classes.card}>
      <ImageOff size={16} aria-hidden />
      <span className={classes.name}>
        {alt && <b>{alt}</b>} {new URL(address).host}
      </span>
      <Button size="compact-xs" variant="default" title={address} onClick={() => setAllowed(true)}>
        {t('chat.load_picture')}
      </Button>
    </span>
  )
}
