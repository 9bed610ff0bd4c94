import { Select } from './Select'

interface Props {
  label: string
  note?: string
  error?: string
  /** What no zone of one's own means. */
  usual: string
  /** An IANA name, or nothing. */
  zone: string
  onChange: (zone: string) => void
  className?: string
}

/** A time zone to choose, or none. */
export function ZoneSelect({ usual, zone, ...rest }: Props) {
  const known = Intl.supportedValuesOf('timeZone')
  const names = zone === '' || known.includes(zone) ? known : [zone, ...known]
  const options = [{ value: '', label: usual }, ...names.map((name) => ({ value: name, label: name }))]
  return <Select {...rest} options={options} value={zone} />
}
