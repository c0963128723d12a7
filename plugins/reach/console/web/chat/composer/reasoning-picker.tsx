import { Menu, UnstyledButton } from '@mantine/core'
import { t } from '../../i18n/words.ts'
import { Brain } from '../../ui/icons.ts'
import type { SendSettings } from '../store/thread-store.ts'
import classes from './model-picker.module.css'

interface Props {
  value: SendSettings['reasoning']
  onChange(value: SendSettings['reasoning']): void
}

const LEVELS = ['off', 'low', 'medium', 'high'] as const
/** The value for no choice. */
const DEFAULT = 'default'

const describe = (level: Props['value']) => (level ? t(`chat.${level}`) : t('chat.reasoning_default'))

/** The choice of how long the model may think before it answers. */
export function ReasoningPicker({ value, onChange }: Props) {
  const label = t('chat.reasoning_chosen', { level: describe(value) })
  return (
    <Menu position="top-start" shadow="md" width={180}>
      <Menu.Target>
        <UnstyledButton
          className={classes.button}
          data-chosen={value !== undefined}
          aria-label={label}
          title={label}
        >
          <Brain size={16} aria-hidden />
          {value && <span className={classes.level}>{describe(value)}</span>}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('chat.reasoning')}</Menu.Label>
        <Menu.RadioGroup
          value={value ?? DEFAULT}
          onChange={(level) => onChange(LEVELS.find((one) => one === level))}
        >
          <Menu.RadioItem value={DEFAULT}>{describe(undefined)}</Menu.RadioItem>
          {LEVELS.map((level) => (
            <Menu.RadioItem key={level} value={level}>
              {describe(level)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  )
}
