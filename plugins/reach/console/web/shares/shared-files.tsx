import { Modal, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import cardClasses from '../chat/files/file-card.module.css'
import filesClasses from '../chat/files/message-files.module.css'
import pictureClasses from '../chat/files/picture.module.css'
import { isPicture } from '../chat/files/picture.tsx'
import { formatBytes } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { Failure } from '../ui/failure.tsx'
import { File, FileImage } from '../ui/icons.ts'
import { useAction } from '../ui/use-action.ts'
import { readSharedFile, type SharedFile, saveSharedFile } from './read-shared.ts'

interface Props {
  files: readonly SharedFile[]
  /** The size of its pictures. */
  size: 'small' | 'large'
  align: 'start' | 'end'
}

/** The files of a message of a shared conversation: pictures as they are, others as cards. */
export function SharedFiles({ files, size, align }: Props) {
  if (files.length === 0) return null
  return (
    <div className={filesClasses.files} data-align={align}>
      {files.map((file) =>
        file.url !== null && isPicture(file) ? (
          <SharedPicture key={file.path} file={file} address={file.url} size={size} />
        ) : (
          <SharedCard key={file.path} file={file} />
        ),
      )}
    </div>
  )
}

/** A file that a click saves, or the name of one that is not included. */
function SharedCard({ file: { filename, media_type, size, url } }: { file: SharedFile }) {
  const { isBusy, error, run } = useAction()
  const Icon = media_type.startsWith('image/') ? FileImage : File
  const about = size === null ? t('shares.not_included') : formatBytes(size)
  const content = (
    <>
      <Icon size={18} aria-hidden className={cardClasses.icon} />
      <span className={cardClasses.name}>{filename}</span>
      <span className={cardClasses.size}>{about}</span>
    </>
  )
  if (url === null) return <span className={cardClasses.card}>{content}</span>
  return (
    <>
      <UnstyledButton
        className={cardClasses.card}
        aria-label={t('shares.download', { name: filename })}
        aria-busy={isBusy}
        onClick={() => void run(() => saveSharedFile(url, filename))}
      >
        {content}
      </UnstyledButton>
      {error !== undefined && <Failure error={error} />}
    </>
  )
}

interface PictureProps {
  file: SharedFile
  address: string
  size: Props['size']
}

/** A picture of a shared conversation; a click shows it in full size. */
function SharedPicture({ file, address, size }: PictureProps) {
  const { filename, media_type } = file
  const [source, setSource] = useState<string>()
  const [isOpen, setOpen] = useState(false)
  const { data: blob, isError } = useQuery({
    queryKey: ['shared picture', address],
    queryFn: () => readSharedFile(address),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  useEffect(() => {
    if (!blob) return
    const url = URL.createObjectURL(new Blob([blob], { type: media_type }))
    setSource(url)
    return () => URL.revokeObjectURL(url)
  }, [blob, media_type])
  if (isError) return <SharedCard file={file} />
  return (
    <>
      <UnstyledButton
        className={pictureClasses.frame}
        data-size={size}
        aria-label={t('chat.enlarge', { name: filename })}
        onClick={() => setOpen(true)}
      >
        {source && <img src={source} alt={filename} />}
      </UnstyledButton>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={filename}
        size="auto"
        centered
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <img className={pictureClasses.full} src={source} alt={filename} />
      </Modal>
    </>
  )
}
