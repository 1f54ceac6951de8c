# plots/ - gnuplot scripts over our CSV
