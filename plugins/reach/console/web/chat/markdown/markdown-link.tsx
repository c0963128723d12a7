import { lazy, type MouseEvent, type ReactNode, Suspense, useRef, useState } from 'react'

const LinkQuestion = lazy(() => import('./link-question.tsx'))

interface Props {
  href: string | undefined
  /** The name of its target, if its text does not say it. */
  label?: string | undefined
  children?: ReactNode
}

/** The text of a link that is its address, and so is not printed again. */
const BARE = /^(?:https?:\/\/|www\.)/i

/** A link of a model. It opens after a question that shows its address; other protocols are not linked. */
export function MarkdownLink({ href, label, children }: Props) {
  const [isAsking, setAsking] = useState(false)
  const link = useRef<HTMLAnchorElement>(null)
  const address = toWebAddress(href)
  if (!address) return <span>{children}</span>
  const ask = (event: MouseEvent) => {
    event.preventDefault()
    setAsking(true)
  }
  const close = () => {
    setAsking(false)
    link.current?.focus()
  }
  return (
    <>
      <a
        ref={link}
        href={address}
        target="_blank"
        rel="noreferrer noopener"
        onClick={ask}
        onAuxClick={ask}
        aria-label={label}
        data-bare={typeof children === 'string' && BARE.test(children)}
      >
        {children}
      </a>
      {isAsking && (
        <Suspense>
          <LinkQuestion address={address} onClose={close} />
        </Suspense>
      )}
    </>
  )
}

/** The whole address of a link to a web page or mailbox; undefined for anything else. */
export function toWebAddress(href: string | undefined): string | undefined {
  if (href === undefined || !/^(https?:|mailto:)/i.test(href)) return undefined
  return URL.canParse(href) ? new URL(href).href : undefined
}
