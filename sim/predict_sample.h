/* predict_sample.h - margay predict --sample */
#ifndef MARGAY_SIM_PREDICT_SAMPLE_H
#define MARGAY_SIM_PREDICT_SAMPLE_H

struct options;

/* Run it; returns the exit status. */
int predict_sample(const struct options *options);

#endif
