; Recursion, sorting and an association list, in small Scheme.
(define (tak x y z)
  (if (not (< y x)) z
      (tak (tak (- x 1) y z) (tak (- y 1) z x) (tak (- z 1) x y))))

(define state 42)
(define (random n)
  (set! state (modulo (+ (* state 1103) 12345) 65536))
  (modulo state n))

(define (numbers n)
  (if (= n 0) '() (cons (random 10000) (numbers (- n 1)))))

(define (split items smaller larger pivot)
  (cond ((null? items) (cons smaller larger))
        ((< (car items) pivot)
         (split (cdr items) (cons (car items) smaller) larger pivot))
        (else
         (split (cdr items) smaller (cons (car items) larger) pivot))))

(define (sort items)
  (if (null? items) '()
      (let ((parts (split (cdr items) '() '() (car items))))
        (append (sort (car parts)) (cons (car items) (sort (cdr parts)))))))

(define (queens row placed size)
  (define (safe? column distance others)
    (or (null? others)
        (and (not (= column (car others)))
             (not (= (abs (- column (car others))) distance))
             (safe? column (+ distance 1) (cdr others)))))
  (define (try column)
    (cond ((> column size) 0)
          ((safe? column 1 placed)
           (+ (queens (+ row 1) (cons column placed) size) (try (+ column 1))))
          (else (try (+ column 1)))))
  (if (> row size) 1 (try 1)))

(display (tak 12 8 4)) (newline)
(display (car (sort (numbers 800)))) (newline)
(display (queens 1 '() 6)) (newline)
