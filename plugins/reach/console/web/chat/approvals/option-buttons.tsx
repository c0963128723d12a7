import { Kbd, UnstyledButton } from '@mantine/core'
import { t } from '../../i18n/words.ts'
import { Check } from '../../ui/icons.ts'
import classes from './option-buttons.module.css'

/** The keys 1 to 9 choose the first options. */
const MAX_KEYS = 9

interface Props {
  options: readonly string[]
  /** The options that are picked so far; undefined if the first press answers. */
  picked: readonly string[] | undefined
  /** True while keys choose. */
  hasKeys: boolean
  isDisabled: boolean
  onPick(option: string): void
}

/** The answers to a question, each a button with its number as its key. */
export function OptionButtons({ options, picked, hasKeys, isDisabled, onPick }: Props) {
  return (
    <ul className={classes.options} aria-label={t('approvals.options')}>
      {options.map((option, index) => {
        const isPicked = picked?.includes(option) ?? false
        return (
          <li key={option}>
            <UnstyledButton
              className={classes.option}
              disabled={isDisabled}
              {...(picked && { 'aria-pressed': isPicked })}
              onClick={() => onPick(option)}
            >
              <span className={classes.number} aria-hidden>
                {isPicked ? (
                  <Check size={14} />
                ) : index < MAX_KEYS ? (
                  <Kbd size="xs" data-off={!hasKeys}>
                    {index + 1}
                  </Kbd>
                ) : null}
              </span>
              <span className={classes.text}>{option}</span>
            </UnstyledButton>
          </li>
        )
      })}
    </ul>
  )
}
