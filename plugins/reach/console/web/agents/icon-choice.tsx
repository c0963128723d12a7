import { Group, Input } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { Check } from '../ui/icons.ts'
import { AgentIcon, COLORS, ICONS } from './agent-icon.tsx'
import classes from './icon-choice.module.css'

interface Look {
  name: string
  icon: string | null
  color: string | null
}

interface Props {
  agent: Look
  onChange(changes: Partial<Pick<Look, 'icon' | 'color'>>): void
}

/** The picture and colour of an agent. */
export function IconChoice({ agent, onChange }: Props) {
  const { name, color } = agent
  return (
    <Input.Wrapper label={t('agents.icon')} labelElement="div">
      <Group gap={6} role="radiogroup" aria-label={t('agents.icon')} mt={4}>
        {[null, ...Object.keys(ICONS)].map((icon) => (
          <label key={icon} className={classes.choice}>
            <input
              type="radio"
              name="icon"
              className={classes.input}
              aria-label={icon ? nameOf(icon) : t('agents.icon_none')}
              checked={agent.icon === icon}
              onChange={() => onChange({ icon })}
            />
            <AgentIcon agent={{ name, icon, color }} />
          </label>
        ))}
      </Group>
      <Group gap={6} role="radiogroup" aria-label={t('agents.color')} mt="sm">
        {COLORS.map((value, index) => (
          <label key={value} className={classes.choice}>
            <input
              type="radio"
              name="color"
              className={classes.input}
              aria-label={t('agents.color_number', { number: index + 1 })}
              checked={color === value}
              onChange={() => onChange({ color: value })}
            />
            <span className={classes.swatch} style={{ background: value }}>
              {color === value && <Check size={14} aria-hidden />}
            </span>
          </label>
        ))}
      </Group>
    </Input.Wrapper>
  )
}

const nameOf = (icon: string) => t(`agents.icon_${icon.replace('-', '_')}` as 'agents.icon_sparkles')
