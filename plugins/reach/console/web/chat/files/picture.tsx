import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { readFile } from '../../agents/files.ts'
import { EnlargeButton } from './enlarge-button.tsx'
import { FileCard } from './file-card.tsx'
import type { ChatFile } from './open-file.ts'
import classes from './picture.module.css'

interface Props {
  agent_id: string
  file: ChatFile
  /** The space that is kept for it: a picture in an answer is shown larger than one of a message, or of a draft. */
  size: 'tile' | 'small' | 'large'
  /** Shown in place of a picture that cannot be shown; its card without it. */
  fallback?: ReactNode
}

/** True for files that browsers show as pictures, and that run nothing. */
export const isPicture = ({ media_type }: Pick<ChatFile, 'media_type'>) =>
  /^image\/(png|jpeg|gif|webp|avif)$/.test(media_type)

/** A picture of a conversation; a click shows it in full size. One that cannot be shown is a card. */
export function Picture({ agent_id, file, size, fallback }: Props) {
  const { path, filename } = file
  const { address, isBroken, setBroken } = useAddress(agent_id, file)
  if (isBroken) return fallback ?? <FileCard agent_id={agent_id} file={file} />
  return (
    <EnlargeButton
      className={classes.frame}
      size={size}
      name={filename}
      enlarged={<img className={classes.full} src={address} alt={filename} />}
    >
      {address && <img key={path} src={address} alt={filename} onError={setBroken} />}
    </EnlargeButton>
  )
}

/** Loads a picture with the token of the page; its address is one of this page. */
function useAddress(agent_id: string, { path, media_type }: ChatFile) {
  const [address, setAddress] = useState<string>()
  const [isBroken, setBroken] = useState(false)
  const { data: blob, isError } = useQuery({
    queryKey: ['picture', agent_id, path],
    queryFn: async () => (await readFile(agent_id, path)).blob,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  useEffect(() => {
    if (!blob) return
    const url = URL.createObjectURL(new Blob([blob], { type: media_type }))
    setAddress(url)
    return () => URL.revokeObjectURL(url)
  }, [blob, media_type])
  return { address, isBroken: isBroken || isError, setBroken: () => setBroken(true) }
}
