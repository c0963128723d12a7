import { Modal, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { readFile } from '../../agents/files.ts'
import { t } from '../../i18n/words.ts'
import { FileCard } from './file-card.tsx'
import type { ChatFile } from './open-file.ts'
import classes from './picture.module.css'

interface Props {
  agent_id: string
  file: ChatFile
  /** The space that is kept for it: a picture in an answer is shown larger than one of a message. */
  size: 'small' | 'large'
}

/** True for files that browsers show as pictures, and that run nothing. */
export const isPicture = ({ media_type }: ChatFile) => /^image\/(png|jpeg|gif|webp|avif)$/.test(media_type)

/** A picture of a conversation; a click shows it in full size. One that cannot be shown is a card. */
export function Picture({ agent_id, file, size }: Props) {
  const { path, filename } = file
  const { address, isBroken, setBroken } = useAddress(agent_id, file)
  const [isOpen, setOpen] = useState(false)
  if (isBroken) return <FileCard agent_id={agent_id} file={file} />
  return (
    <>
      <UnstyledButton
        className={classes.frame}
        data-size={size}
        aria-label={t('chat.enlarge', { name: filename })}
        onClick={() => setOpen(true)}
      >
        {address && <img key={path} src={address} alt={filename} onError={setBroken} />}
      </UnstyledButton>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={filename}
        size="auto"
        centered
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <img className={classes.full} src={address} alt={filename} />
      </Modal>
    </>
  )
}

/** Loads a picture with the token of the page; its address is one of this page. */
export function useAddress(agent_id: string, { path, media_type }: ChatFile) {
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
