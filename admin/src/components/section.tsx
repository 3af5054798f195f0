import { Box, Flex, Typography } from '@strapi/design-system';
import type { ReactNode } from 'react';

interface SectionProps {
  readonly title: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A titled card. */
export const Section = ({ title, action, children }: SectionProps) => (
  <Box tag="section" background="neutral0" hasRadius shadow="tableShadow" padding={6}>
    <Flex justifyContent="space-between" gap={4} paddingBottom={4} wrap="wrap">
      <Typography tag="h2" variant="delta">
        {title}
      </Typography>
      {action}
    </Flex>
    {children}
  </Box>
);
