import { memo, type ReactNode, useEffect, useState } from 'react'
import { t } from '../../i18n/words.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { WrapText } from '../../ui/icons.ts'
import frameClasses from './block-frame.module.css'
import { BlockAction, BlockFrame } from './block-frame.tsx'
import classes from './code-block.module.css'
import { type CodeLine, followCode } from './highlight.ts'
import { nameLanguage } from './language-names.ts'

interface Props {
  code: string
  language: string
  /** More buttons, before the others. */
  actions?: ReactNode
  /** A sentence below the code. */
  note?: string | undefined
  /** True if its lines wrap from the start. */
  wrapped?: boolean
}

/** Code of a model: its language, a switch that wraps its lines, a button that copies it, and colours once they are computed. */
export const CodeBlock = memo(function CodeBlock({ code, language, actions, note, wrapped = false }: Props) {
  const [isWrapped, setWrapped] = useState(wrapped)
  return (
    <BlockFrame
      name={language === '' ? t('answers.code') : nameLanguage(language)}
      actions={
        <>
          {actions}
          <BlockAction
            label={t('answers.wrap')}
            icon={WrapText}
            isPressed={isWrapped}
            onClick={() => setWrapped(!isWrapped)}
          />
          <CopyButton text={code} />
        </>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keys. */}
      <pre className={`${frameClasses.scroller} ${classes.code}`} data-wrapped={isWrapped} tabIndex={0}>
        <Code code={code} language={language} />
      </pre>
      {note && <p className={classes.note}>{note}</p>}
    </BlockFrame>
  )
})

/** Code in its colours. */
const Code = memo(function Code({ code, language }: { code: string; language: string }) {
  const [coloured, setColoured] = useState<{ code: string; lines: readonly CodeLine[] }>()
  const [follower] = useState(() => followCode(setColoured))
  useEffect(() => follower.colour(code, language), [follower, code, language])
  useEffect(() => follower.stop, [follower])

  // While code is being written, the lines that were coloured stay so.
  const lines = coloured && code.startsWith(coloured.code) ? coloured.lines : []
  const uncoloured = lines.length > 0 ? code.slice(coloured!.code.length) : code
  return (
    <code>
      {lines.map((tokens, index) => (
        <Line key={index} tokens={tokens} isLast={index === lines.length - 1} />
      ))}
      {uncoloured}
    </code>
  )
})

const Line = memo(function Line({ tokens, isLast }: { tokens: CodeLine; isLast: boolean }) {
  return (
    <span>
      {tokens.map(({ text, light, dark }, index) => (
        <span key={index} style={light ? { color: `light-dark(${light}, ${dark})` } : undefined}>
          {text}
        </span>
      ))}
      {!isLast && '\n'}
    </span>
  )
})
