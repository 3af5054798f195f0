import { Box, Typography } from '@strapi/design-system';

const BACKGROUNDS = {
  success: 'success100',
  primary: 'primary100',
  warning: 'warning100',
  danger: 'danger100',
  neutral: 'neutral150',
} as const;

interface PillProps {
  readonly variant: keyof typeof BACKGROUNDS;
  readonly children: string;
}

/** A state in a word or two. The design system's own status has too little contrast in light mode (axe: 2.66 to 1). */
export const Pill = ({ variant, children }: PillProps) => (
  <Box
    background={BACKGROUNDS[variant]}
    borderColor="neutral200"
    hasRadius
    paddingTop={1}
    paddingBottom={1}
    paddingLeft={2}
    paddingRight={2}
  >
    <Typography tag="span" fontWeight="bold" textColor="neutral800">
      {children}
    </Typography>
  </Box>
);
