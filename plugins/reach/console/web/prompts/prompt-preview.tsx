import classes from './prompt-preview.module.css'
import { knownValues, splitTemplate } from './template.ts'

interface Props {
  text: string
  /** The values of its variables; a variable without a value is shown by its name. */
  values?: Readonly<Record<string, string>>
}

/** The text of a prompt with its variables marked. */
export function PromptPreview({ text, values = {} }: Props) {
  const filled = { ...values, ...knownValues() }
  return (
    <p className={classes.preview}>
      {splitTemplate(text).map((part, index) =>
        'text' in part ? (
          part.text
        ) : (
          <mark key={index} data-filled={Boolean(filled[part.variable])}>
            {filled[part.variable] || part.variable}
          </mark>
        ),
      )}
    </p>
  )
}
