import { UnstyledButton } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { t } from '../../i18n/words.ts'

const Enlarged = lazy(() => import('./enlarged.tsx'))

interface Props {
  className: string | undefined
  size?: string
  name: string
  /** The picture in full size. */
  enlarged: ReactNode
  children: ReactNode
}

/** A picture that a click shows in full size. */
export function EnlargeButton({ className, size, name, enlarged, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  return (
    <>
      <UnstyledButton
        ref={button}
        className={className}
        data-size={size}
        aria-label={t('chat.enlarge', { name })}
        onClick={() => setOpen(true)}
      >
        {children}
      </UnstyledButton>
      {isOpen && (
        <Suspense>
          <Enlarged name={name} onClose={close}>
            {enlarged}
          </Enlarged>
        </Suspense>
      )}
    </>
  )
}
